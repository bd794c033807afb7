/** The overview for members of the organisation (specification, "MDM"). */
import { userOf } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Members } from '../../accounts/index.ts'
import { requireReader } from '../access.ts'
import { overview, overviewQuery } from './schema.ts'
import { readOverview } from './store.ts'

export type OverviewRouteDependencies = { accounts: Members; db: Db }

const FOUND = 'Overview'

export function overviewRoutes(app: App, { accounts, db }: OverviewRouteDependencies): void {
  app.get(
    '/v1/mdm/overview',
    {
      config: { access: 'portal', rate_class: 'console' },
      schema: {
        operationId: 'getMdmOverview',
        summary: 'How many devices there are of each kind',
        tags: ['MDM'],
        'x-open-point': 'OP-28, OP-76, OP-84',
        querystring: overviewQuery,
        response: responses(overview, FOUND),
      },
    },
    async (request) => {
      const { org_id } = request.query
      await requireReader(accounts, userOf(request).user_id, org_id)
      return envelope(FOUND, await readOverview(db, org_id))
    },
  )
}
