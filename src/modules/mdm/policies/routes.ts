/** Device policies (specification, "MDM"): members read, owners and admins make changes. */
import type { ApiDescription } from '../../../platform/google/api-description.ts'
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { found } from '../../../platform/http/found.ts'
import { mdmRoute } from '../route.ts'
import { describedPolicy } from './described-policy.ts'
import { savedMessage } from './message.ts'
import { type PolicyFieldLimits, policyBodyMaxBytes, policySchemas } from './schema.ts'
import type { Policies } from './service.ts'

export type PolicyRouteDependencies = {
  policies: Policies
  /** Describes `policy_json`. */
  api: ApiDescription
  field_limits: PolicyFieldLimits
}

const LISTED = 'Policies'
const CREATED = 'Policy created'
const UPDATED = 'Policy updated'

export function policyRoutes(app: App, deps: PolicyRouteDependencies): void {
  const { policies, api, field_limits } = deps
  const schemas = policySchemas(field_limits, describedPolicy(api))
  const maxBytes = policyBodyMaxBytes(field_limits)

  app.get(
    '/v1/mdm/policies',
    mdmRoute('read', {
      operationId: 'listMdmPolicies',
      summary: 'The device policies of an organization, newest first',
      'x-open-point': 'OP-28, OP-80, OP-84',
      response: responses(schemas.policies, LISTED),
    }),
    async ({ member }) => envelope(LISTED, await policies.list(member.org_id)),
  )

  app.post(
    '/v1/mdm/policies',
    mdmRoute(
      'change',
      {
        operationId: 'createMdmPolicy',
        summary: 'Create a device policy, by default the baseline of its management mode',
        'x-open-point': 'OP-18, OP-28, OP-37, OP-80, OP-84, OP-132',
        body: schemas.create,
        response: responses(schemas.policy, CREATED),
      },
      { max_bytes: maxBytes },
    ),
    async ({ member: { org_id, user_id }, body }) => {
      const created = await policies.create(user_id, org_id, body)
      return envelope(savedMessage(CREATED, body.policy_json), created)
    },
  )

  app.patch(
    '/v1/mdm/policies/:policy_id',
    mdmRoute(
      'change',
      {
        operationId: 'updateMdmPolicy',
        summary: 'Change a device policy; its devices receive the new version',
        'x-open-point': 'OP-18, OP-28, OP-37, OP-38, OP-80, OP-84, OP-132',
        params: schemas.policyId,
        body: schemas.update,
        response: responses(schemas.policy, UPDATED),
      },
      { max_bytes: maxBytes },
    ),
    async ({ member: { org_id, user_id }, params, body }) => {
      const target = { id: params.policy_id }
      const updated = found(await policies.update(user_id, org_id, target, body))
      return envelope(savedMessage(UPDATED, body.policy_json), updated)
    },
  )
}
