/** Specification, "MDM": policies, for members of the organisation; owners and admins change them. */
import { userOf } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { notFound } from '../../../platform/http/errors.ts'
import type { Members } from '../../accounts/index.ts'
import { requireOperator, requireReader } from '../access.ts'
import { type PolicyFieldLimits, policySchemas } from './schema.ts'
import type { Policies } from './service.ts'

export type PolicyRouteDependencies = {
  accounts: Members
  policies: Policies
  field_limits: PolicyFieldLimits
}

const LISTED = 'Policies'
const CREATED = 'Policy created'
const UPDATED = 'Policy updated'

const config = { access: 'portal', rate_class: 'console' } as const
const tags = ['MDM']

export function policyRoutes(app: App, deps: PolicyRouteDependencies): void {
  const { accounts, policies, field_limits } = deps
  const schemas = policySchemas(field_limits)

  app.get(
    '/v1/mdm/policies',
    {
      config,
      schema: {
        operationId: 'listMdmPolicies',
        summary: 'The device policies of an organisation, the newest first',
        tags,
        'x-open-point': 'OP-28, OP-80, OP-84',
        querystring: schemas.inOrganization,
        response: responses(schemas.policies, LISTED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      await requireReader(accounts, userOf(request).user_id, org_id)
      return envelope(LISTED, await policies.list(org_id))
    },
  )

  app.post(
    '/v1/mdm/policies',
    {
      config,
      schema: {
        operationId: 'createMdmPolicy',
        summary: 'Create a device policy; without `policy_json`, the baseline of its mode',
        tags,
        'x-open-point': 'OP-18, OP-28, OP-37, OP-80, OP-84',
        querystring: schemas.inOrganization,
        body: schemas.create,
        response: responses(schemas.policy, CREATED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      const { user_id } = userOf(request)
      await requireOperator(accounts, user_id, org_id)
      return envelope(CREATED, await policies.create(user_id, org_id, request.body))
    },
  )

  app.patch(
    '/v1/mdm/policies/:policy_id',
    {
      config,
      schema: {
        operationId: 'updateMdmPolicy',
        summary: 'Change a device policy; devices that have it get the new version',
        tags,
        'x-open-point': 'OP-18, OP-28, OP-37, OP-38, OP-80, OP-84',
        params: schemas.policyId,
        querystring: schemas.inOrganization,
        body: schemas.update,
        response: responses(schemas.policy, UPDATED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      const { user_id } = userOf(request)
      await requireOperator(accounts, user_id, org_id)
      const { policy_id } = request.params
      const updated = await policies.update(user_id, org_id, policy_id, request.body)
      if (!updated) throw notFound()
      return envelope(UPDATED, updated)
    },
  )
}
