/** Request and response schemas of device policies (specification, "MDM resources" and "MDM"; OP-28). */
import { type Static, Type } from 'typebox'
import { documented } from '../../../platform/http/documented.ts'
import { bodyMaxBytes, choice, type Limits, opaqueObject } from '../../../platform/http/schemas.ts'
import { MANAGEMENT_MODES } from '../tables.ts'

const EXAMPLE_POLICY = {
  id: '0198c3a2-8c2f-7d4e-8b65-4a3c9f7e2d18',
  name: 'Tills',
  description: 'Fully managed tills of all stores',
  management_mode: 'fully_managed',
  policy_json: { playStoreMode: 'WHITELIST', screenCaptureDisabled: true },
  version: 2,
  publish_state: 'published',
  publish_error: null,
  created_at: '2026-02-01T08:00:00.000Z',
  updated_at: '2026-03-01T12:00:00.000Z',
}

export const PUBLISH_STATES = ['waiting', 'published', 'rejected'] as const

const time = () => Type.String({ format: 'date-time' })

const policy = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    description: Type.String(),
    management_mode: choice(MANAGEMENT_MODES),
    policy_json: opaqueObject('A policy of the Android Management API'),
    version: Type.Integer({
      minimum: 1,
      description: 'Increases with each change of `policy_json`',
    }),
    publish_state: choice(PUBLISH_STATES),
    publish_error: Type.Union([Type.String(), Type.Null()], {
      description: 'Why the provider rejected this version',
    }),
    created_at: time(),
    updated_at: time(),
  },
  { $id: 'DevicePolicy', examples: [EXAMPLE_POLICY], 'x-open-point': 'OP-28' },
)
export type Policy = Static<typeof policy>

export type PolicyFieldLimits = Limits & { mdm_policy_max_bytes: number }

/** Policies are written by hand, so a body has room for as many spaces and escapes. */
export const policyBodyMaxBytes = (limits: PolicyFieldLimits): number =>
  bodyMaxBytes(limits) + 2 * limits.mdm_policy_max_bytes

/** @param policyJson what the API document says about `policy_json` */
export const policySchemas = (limits: PolicyFieldLimits, policyJson: Record<string, unknown>) => {
  const { text_max_chars, mdm_policy_max_bytes } = limits
  const name = Type.String({ minLength: 1, maxLength: text_max_chars })
  const management_mode = choice(MANAGEMENT_MODES)
  const optional = {
    description: Type.Optional(Type.String({ maxLength: text_max_chars })),
    policy_json: Type.Optional(
      Type.Unsafe<Record<string, unknown>>({
        type: 'object',
        ...documented({
          type: undefined,
          anyOf: [{ ...policyJson, 'x-max-bytes': mdm_policy_max_bytes }, { type: 'null' }],
          description: 'A policy of the Android Management API, without `name` and `version`',
        }),
      }),
    ),
  }
  const create = Type.Object(
    { name, management_mode, ...optional },
    {
      $id: 'DevicePolicyRequest',
      examples: [{ name: 'Tills', management_mode: 'fully_managed' }],
    },
  )
  const update = Type.Object(
    { name: Type.Optional(name), management_mode: Type.Optional(management_mode), ...optional },
    {
      $id: 'DevicePolicyUpdate',
      examples: [{ description: 'Tills of the stores in Bern' }],
      'x-open-point': 'OP-28',
    },
  )
  return {
    policyId: Type.Object({ policy_id: Type.String() }),
    create,
    update,
    policy,
    policies: Type.Array(policy),
  }
}

type Schemas = ReturnType<typeof policySchemas>
export type CreatePolicy = Static<Schemas['create']>
export type UpdatePolicy = Static<Schemas['update']>
