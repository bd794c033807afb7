/** Specification, "MDM": the enterprise, for members of the organisation; owners and admins make it. */
import { userOf } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import type { Members } from '../../accounts/index.ts'
import { requireOperator, requireReader } from '../access.ts'
import { enterpriseSchemas as schemas } from './schema.ts'
import type { Enterprises } from './service.ts'

export type EnterpriseRouteDependencies = { accounts: Members; enterprises: Enterprises }

const SIGNUP = 'Sign-up begun; send an administrator to its URL'
const CREATED = 'Enterprise created'
const FOUND = 'Enterprise'

const config = { access: 'portal', rate_class: 'console' } as const
const tags = ['MDM']

export function enterpriseRoutes(app: App, deps: EnterpriseRouteDependencies): void {
  const { accounts, enterprises } = deps

  app.post(
    '/v1/mdm/enterprise/signup-url',
    {
      config,
      schema: {
        operationId: 'createMdmSignupUrl',
        summary: 'Begin to sign up for an enterprise, on a page of the provider',
        tags,
        'x-open-point': 'OP-18, OP-28, OP-37, OP-81, OP-84, OP-86',
        querystring: schemas.inOrganization,
        body: schemas.signupRequest,
        response: responses(schemas.signup, SIGNUP),
      },
    },
    async (request) => {
      const { org_id } = request.query
      const { user_id } = userOf(request)
      await requireOperator(accounts, user_id, org_id)
      const { callback_url } = request.body
      return envelope(SIGNUP, await enterprises.startSignup(user_id, org_id, callback_url))
    },
  )

  app.post(
    '/v1/mdm/enterprise',
    {
      config,
      schema: {
        operationId: 'createMdmEnterprise',
        summary: 'Create the enterprise of a sign-up that was completed',
        tags,
        'x-open-point': 'OP-18, OP-28, OP-37, OP-81, OP-84, OP-86',
        querystring: schemas.inOrganization,
        body: schemas.create,
        response: responses(schemas.enterprise, CREATED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      const { user_id } = userOf(request)
      await requireOperator(accounts, user_id, org_id)
      return envelope(CREATED, await enterprises.create(user_id, org_id, request.body))
    },
  )

  app.get(
    '/v1/mdm/enterprise',
    {
      config,
      schema: {
        operationId: 'getMdmEnterprise',
        summary: 'The enterprise of an organisation, null when it has none',
        tags,
        'x-open-point': 'OP-28, OP-81, OP-84',
        querystring: schemas.inOrganization,
        response: responses(schemas.enterpriseOrNull, FOUND),
      },
    },
    async (request) => {
      const { org_id } = request.query
      await requireReader(accounts, userOf(request).user_id, org_id)
      return envelope(FOUND, await enterprises.find(org_id))
    },
  )
}
