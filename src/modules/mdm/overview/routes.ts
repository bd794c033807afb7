/** The overview for members of the organization (specification, "MDM"). */
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { mdmRoute } from '../route.ts'
import { overview } from './schema.ts'
import { readOverview } from './store.ts'

const FOUND = 'Overview'

export function overviewRoutes(app: App, { db }: { db: Db }): void {
  app.get(
    '/v1/mdm/overview',
    mdmRoute('read', {
      operationId: 'getMdmOverview',
      summary: 'Number of devices by state, compliance and management mode',
      'x-open-point': 'OP-28, OP-76, OP-84',
      response: responses(overview, FOUND),
    }),
    async ({ member }) => envelope(FOUND, await readOverview(db, member.org_id)),
  )
}
