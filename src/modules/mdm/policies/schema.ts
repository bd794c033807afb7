/** Contract of the device policies (specification, "MDM resources" and "MDM"; OP-28). */
import { type Static, Type } from 'typebox'
import { choice, opaqueObject } from '../../../platform/http/schemas.ts'
import { MANAGEMENT_MODES } from '../../../platform/postgres/tables/mdm.ts'

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
    policy_json: opaqueObject('Members of a policy of the Android Management API'),
    version: Type.Integer({ minimum: 1, description: 'Grows with each change of `policy_json`' }),
    publish_state: choice(PUBLISH_STATES),
    publish_error: Type.Union([Type.String(), Type.Null()], {
      description: 'Why the provider does not take this version',
    }),
    created_at: time(),
    updated_at: time(),
  },
  { $id: 'DevicePolicy', examples: [EXAMPLE_POLICY], 'x-open-point': 'OP-28' },
)
export type Policy = Static<typeof policy>

export type PolicyFieldLimits = { text_max_chars: number }

export const policySchemas = ({ text_max_chars }: PolicyFieldLimits) => {
  const fields = {
    name: Type.String({ minLength: 1, maxLength: text_max_chars }),
    management_mode: choice(MANAGEMENT_MODES),
    description: Type.String({ maxLength: text_max_chars }),
    policy_json: opaqueObject(
      'A policy of the Android Management API, without `name` and `version`',
    ),
  }
  const create = Type.Object(
    {
      name: fields.name,
      management_mode: fields.management_mode,
      description: Type.Optional(fields.description),
      policy_json: Type.Optional(fields.policy_json),
    },
    {
      $id: 'DevicePolicyRequest',
      examples: [{ name: 'Tills', management_mode: 'fully_managed' }],
    },
  )
  const update = Type.Object(
    {
      name: Type.Optional(fields.name),
      management_mode: Type.Optional(fields.management_mode),
      description: Type.Optional(fields.description),
      policy_json: Type.Optional(fields.policy_json),
    },
    {
      $id: 'DevicePolicyUpdate',
      examples: [{ description: 'Tills of the stores in Bern' }],
      'x-open-point': 'OP-28',
    },
  )
  return {
    inOrganization: Type.Object({
      org_id: Type.String({ description: 'Organisation that you are a member of' }),
    }),
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
