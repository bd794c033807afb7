/**
 * Enrollment tokens (specification, "MDM"): owners and admins create them and see their values, members
 * see the rest.
 */
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { mdmRoute } from '../route.ts'
import { tokenSchemas as schemas } from './schema.ts'
import type { Tokens } from './service.ts'

const LISTED = 'Enrollment tokens'
const CREATED = 'Enrollment token created'

export function tokenRoutes(app: App, { tokens }: { tokens: Tokens }): void {
  app.get(
    '/v1/mdm/enrollment-tokens',
    mdmRoute('read', {
      operationId: 'listMdmEnrollmentTokens',
      summary: 'Enrollment tokens that have not expired or been ended, newest first',
      'x-open-point': 'OP-28, OP-82, OP-84, OP-133',
      response: responses(schemas.tokens, LISTED),
    }),
    async ({ member: { org_id, role } }) => envelope(LISTED, await tokens.list(org_id, role)),
  )

  app.post(
    '/v1/mdm/enrollment-tokens',
    mdmRoute('change', {
      operationId: 'createMdmEnrollmentToken',
      summary: 'Create an enrollment token and the QR code that devices scan',
      'x-open-point': 'OP-28, OP-37, OP-82, OP-84, OP-86, OP-133',
      body: schemas.create,
      response: responses(schemas.token, CREATED),
    }),
    async ({ member: { org_id, user_id }, body }) =>
      envelope(CREATED, await tokens.create(user_id, org_id, body)),
  )
}
