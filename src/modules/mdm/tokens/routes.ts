/** Specification, "MDM": enrolment tokens, for members of the organisation; owners and admins make them. */
import { userOf } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import type { Members } from '../../accounts/index.ts'
import { requireOperator, requireReader } from '../access.ts'
import { tokenSchemas as schemas } from './schema.ts'
import type { Tokens } from './service.ts'

export type TokenRouteDependencies = { accounts: Members; tokens: Tokens }

const LISTED = 'Enrolment tokens'
const CREATED = 'Enrolment token created'

const config = { access: 'portal', rate_class: 'console' } as const
const tags = ['MDM']

export function tokenRoutes(app: App, deps: TokenRouteDependencies): void {
  const { accounts, tokens } = deps

  app.get(
    '/v1/mdm/enrollment-tokens',
    {
      config,
      schema: {
        operationId: 'listMdmEnrollmentTokens',
        summary: 'Enrolment tokens that have not expired, the newest first',
        tags,
        'x-open-point': 'OP-28, OP-82, OP-84',
        querystring: schemas.inOrganization,
        response: responses(schemas.tokens, LISTED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      await requireReader(accounts, userOf(request).user_id, org_id)
      return envelope(LISTED, await tokens.list(org_id))
    },
  )

  app.post(
    '/v1/mdm/enrollment-tokens',
    {
      config,
      schema: {
        operationId: 'createMdmEnrollmentToken',
        summary: 'Create a token, and the QR code that devices enrol with',
        tags,
        'x-open-point': 'OP-28, OP-37, OP-82, OP-84, OP-86',
        querystring: schemas.inOrganization,
        body: schemas.create,
        response: responses(schemas.token, CREATED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      const { user_id } = userOf(request)
      await requireOperator(accounts, user_id, org_id)
      return envelope(CREATED, await tokens.create(user_id, org_id, request.body))
    },
  )
}
