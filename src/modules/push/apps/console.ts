/** Console route that shows through which public keys the subscriptions of an application are created. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { found } from '../../../platform/http/found.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { findApplication } from '../../applications/index.ts'
import { listRegistrationCounts } from './counts.store.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const oneApplication = Type.Object({ id: Type.String() })

export function registrationConsoleRoutes(app: App, { db }: { db: Database }): void {
  app.get(
    '/console/api/push/applications/:id/registrations',
    { config: MEMBER, schema: { params: oneApplication } },
    async ({ member, params }) => {
      const { id } = found(await findApplication(db, member.org_id, params.id))
      return envelope('Registrations', await listRegistrationCounts(db, member.org_id, id))
    },
  )
}
