/** What the editor of device policies needs: one of them, earlier versions, faults, and safe saving. */
import { Type } from 'typebox'
import { type Members, requireAdmin, requireMember } from '../../modules/accounts/index.ts'
import { findPolicyFaults, type MdmBrowsing, type Policies } from '../../modules/mdm/index.ts'
import type { ApiDescription } from '../../platform/google/api-description.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'
import { choice, opaqueObject } from '../../platform/http/schemas.ts'
import { MANAGEMENT_MODES } from '../../platform/postgres/tables/mdm.ts'
import { found } from '../found.ts'

export type PolicyConsoleDependencies = {
  accounts: Members
  browsing: Pick<MdmBrowsing, 'findPolicy' | 'versions' | 'findVersion'>
  policies: Pick<Policies, 'update'>
  /** Of the Android Management API. */
  api: ApiDescription
  field_limits: { text_max_chars: number; mdm_policy_max_bytes: number }
}

const VERSION_MAX = 2_147_483_647

const inOrganization = Type.Object({ org_id: Type.String() })
const onePolicy = Type.Object({ policy_id: Type.String() })
const oneVersion = Type.Object({
  policy_id: Type.String(),
  version: Type.Integer({ minimum: 1, maximum: VERSION_MAX }),
})
const checkBody = Type.Object({ org_id: Type.String(), policy_json: opaqueObject('A policy') })
const updateBody = (textMaxChars: number) =>
  Type.Object({
    org_id: Type.String(),
    based_on: Type.String({ description: '`updated_at` of the policy that was changed' }),
    name: Type.Optional(Type.String({ minLength: 1, maxLength: textMaxChars })),
    management_mode: Type.Optional(choice(MANAGEMENT_MODES)),
    description: Type.Optional(Type.String({ maxLength: textMaxChars })),
    policy_json: Type.Optional(opaqueObject('A policy, which replaces the whole one')),
  })

const config = { access: 'portal', rate_class: 'console' } as const

export function policyConsoleRoutes(app: App, deps: PolicyConsoleDependencies): void {
  readingRoutes(app, deps)
  const { accounts, policies, api, field_limits } = deps

  app.post(
    '/console/api/mdm/policies/check',
    { config, schema: { body: checkBody } },
    async (request) => {
      const { org_id, policy_json } = request.body
      await requireMember(accounts, userOf(request).user_id, org_id)
      const faults = findPolicyFaults(api, policy_json, field_limits.mdm_policy_max_bytes)
      return envelope('Faults', { faults })
    },
  )

  app.patch(
    '/console/api/mdm/policies/:policy_id',
    { config, schema: { params: onePolicy, body: updateBody(field_limits.text_max_chars) } },
    async (request) => {
      const { org_id, based_on, ...change } = request.body
      const { user_id } = userOf(request)
      await requireAdmin(accounts, user_id, org_id)
      const { policy_id } = request.params
      const updated = await policies.update(user_id, org_id, policy_id, change, based_on)
      return envelope('Policy updated', found(updated))
    },
  )
}

function readingRoutes(app: App, { accounts, browsing }: PolicyConsoleDependencies): void {
  app.get(
    '/console/api/mdm/policies/:policy_id',
    { config, schema: { params: onePolicy, querystring: inOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const policy = await browsing.findPolicy(org_id, request.params.policy_id)
      return envelope('Policy', found(policy))
    },
  )

  app.get(
    '/console/api/mdm/policies/:policy_id/versions',
    { config, schema: { params: onePolicy, querystring: inOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const versions = await browsing.versions(org_id, request.params.policy_id)
      return envelope('Versions', found(versions))
    },
  )

  app.get(
    '/console/api/mdm/policies/:policy_id/versions/:version',
    { config, schema: { params: oneVersion, querystring: inOrganization } },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      const { policy_id, version } = request.params
      return envelope('Version', found(await browsing.findVersion(org_id, policy_id, version)))
    },
  )
}
