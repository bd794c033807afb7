/** Routes of the policy editor: a policy, its versions, its faults, and updates without lost changes. */
import { Type } from 'typebox'
import type { ApiDescription } from '../../../platform/google/api-description.ts'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { found } from '../../../platform/http/found.ts'
import { choice, opaqueObject } from '../../../platform/http/schemas.ts'
import type { MdmBrowsing } from '../browsing/service.ts'
import { MANAGEMENT_MODES } from '../tables.ts'
import { findPolicyFaults } from './faults.ts'
import { savedMessage } from './message.ts'
import { type PolicyFieldLimits, policyBodyMaxBytes } from './schema.ts'
import type { Policies } from './service.ts'

export type PolicyConsoleDependencies = {
  browsing: Pick<MdmBrowsing, 'findPolicy' | 'versions' | 'findVersion'>
  policies: Pick<Policies, 'update'>
  /** The description of the Android Management API. */
  api: ApiDescription
  field_limits: PolicyFieldLimits
}

const VERSION_MAX = 2_147_483_647

const onePolicy = Type.Object({ policy_id: Type.String() })
const oneVersion = Type.Object({
  policy_id: Type.String(),
  version: Type.Integer({ minimum: 1, maximum: VERSION_MAX }),
})
const checkBody = Type.Object({ policy_json: opaqueObject('A policy') })
const updateBody = (textMaxChars: number) =>
  Type.Object({
    based_on: Type.String({
      description: '`updated_at` of the policy that the change is based on',
    }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: textMaxChars })),
    management_mode: Type.Optional(choice(MANAGEMENT_MODES)),
    description: Type.Optional(Type.String({ maxLength: textMaxChars })),
    policy_json: Type.Optional(opaqueObject('A policy, which replaces the whole current one')),
  })

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export function policyConsoleRoutes(
  app: App,
  { browsing, policies, api, field_limits }: PolicyConsoleDependencies,
): void {
  const large = { body: { max_bytes: policyBodyMaxBytes(field_limits) } }
  app.post(
    '/console/api/mdm/policies/check',
    { config: { ...MEMBER, ...large }, schema: { body: checkBody } },
    ({ body }) => {
      const faults = findPolicyFaults(api, body.policy_json, field_limits.mdm_policy_max_bytes)
      return envelope('Faults', { faults })
    },
  )

  app.patch(
    '/console/api/mdm/policies/:policy_id',
    {
      config: { ...ADMIN, ...large },
      schema: { params: onePolicy, body: updateBody(field_limits.text_max_chars) },
    },
    async ({ member: { org_id, user_id }, params, body: { based_on, ...change } }) => {
      const target = { id: params.policy_id, based_on }
      const updated = await policies.update(user_id, org_id, target, change)
      return envelope(savedMessage('Policy updated', change.policy_json), found(updated))
    },
  )

  app.get(
    '/console/api/mdm/policies/:policy_id',
    { config: MEMBER, schema: { params: onePolicy } },
    async ({ member, params }) =>
      envelope('Policy', found(await browsing.findPolicy(member.org_id, params.policy_id))),
  )

  app.get(
    '/console/api/mdm/policies/:policy_id/versions',
    { config: MEMBER, schema: { params: onePolicy } },
    async ({ member, params }) =>
      envelope('Versions', found(await browsing.versions(member.org_id, params.policy_id))),
  )

  app.get(
    '/console/api/mdm/policies/:policy_id/versions/:version',
    { config: MEMBER, schema: { params: oneVersion } },
    async ({ member: { org_id }, params: { policy_id, version } }) =>
      envelope('Version', found(await browsing.findVersion(org_id, policy_id, version))),
  )
}
