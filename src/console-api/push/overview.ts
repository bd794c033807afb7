/** How the applications of an organisation are set up, for its members. */
import { Type } from 'typebox'
import { type Members, requireMember } from '../../modules/accounts/index.ts'
import type { PushOverview } from '../../modules/push/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'

const ofOrganization = Type.Object({ org_id: Type.String() })

export function pushOverviewRoutes(
  app: App,
  { accounts, push_overview }: { accounts: Members; push_overview: PushOverview },
): void {
  app.get(
    '/console/api/push/overview',
    {
      config: { access: 'portal', rate_class: 'console' },
      schema: { querystring: ofOrganization },
    },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope('Applications', await push_overview.setups(org_id))
    },
  )
}
