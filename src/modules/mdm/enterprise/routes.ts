/** The enterprise (specification, "MDM"): members read it, owners and admins create it. */
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { mdmRoute } from '../route.ts'
import { enterpriseSchemas as schemas } from './schema.ts'
import type { Enterprises } from './service.ts'

const SIGNUP = 'Sign-up begun; send an administrator to its URL'
const CREATED = 'Enterprise created'
const FOUND = 'Enterprise'

export function enterpriseRoutes(app: App, { enterprises }: { enterprises: Enterprises }): void {
  app.post(
    '/v1/mdm/enterprise/signup-url',
    mdmRoute('change', {
      operationId: 'createMdmSignupUrl',
      summary: 'Start the sign-up for an enterprise on a page of the provider',
      'x-open-point': 'OP-18, OP-28, OP-37, OP-81, OP-84, OP-86',
      body: schemas.signupRequest,
      response: responses(schemas.signup, SIGNUP),
    }),
    async ({ member: { org_id, user_id }, body }) =>
      envelope(SIGNUP, await enterprises.startSignup(user_id, org_id, body.callback_url)),
  )

  app.post(
    '/v1/mdm/enterprise',
    mdmRoute('change', {
      operationId: 'createMdmEnterprise',
      summary: 'Create the enterprise of a completed sign-up',
      'x-open-point': 'OP-18, OP-28, OP-37, OP-81, OP-84, OP-86',
      body: schemas.create,
      response: responses(schemas.enterprise, CREATED),
    }),
    async ({ member: { org_id, user_id }, body }) =>
      envelope(CREATED, await enterprises.create(user_id, org_id, body)),
  )

  app.get(
    '/v1/mdm/enterprise',
    mdmRoute('read', {
      operationId: 'getMdmEnterprise',
      summary: 'Get the enterprise of an organization, or null when it has none',
      'x-open-point': 'OP-28, OP-81, OP-84',
      response: responses(schemas.enterpriseOrNull, FOUND),
    }),
    async ({ member }) => envelope(FOUND, await enterprises.find(member.org_id)),
  )
}
