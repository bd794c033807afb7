/** Console route that imports subscriptions, for owners and admins (OP-161). */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { IMPORTED_TOGETHER_MAX } from './schema.ts'
import type { Imports } from './service.ts'

const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
/** A thousand entries with long tokens. */
const BODY_MAX_BYTES = 5_242_880

const importBody = Type.Object({
  application_id: Type.String(),
  // Each entry is validated separately, so that an invalid one does not fail the others.
  subscriptions: Type.Array(Type.Unknown(), { minItems: 1, maxItems: IMPORTED_TOGETHER_MAX }),
})

export function importConsoleRoutes(app: App, { imports }: { imports: Imports }): void {
  app.post(
    '/console/api/push/subscriptions/import',
    { config: { ...ADMIN, body: { max_bytes: BODY_MAX_BYTES } }, schema: { body: importBody } },
    async ({ member, body: { application_id, subscriptions } }) =>
      envelope('Imported', await imports.run(member.org_id, application_id, subscriptions)),
  )
}
