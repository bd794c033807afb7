/** Console route that shows how the applications of an organization are set up. */

import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import type { PushOverview } from './service.ts'

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export function pushOverviewRoutes(
  app: App,
  { push_overview }: { push_overview: PushOverview },
): void {
  app.get('/console/api/push/overview', { config: MEMBER }, async ({ member }) =>
    envelope('Applications', await push_overview.setups(member.org_id)),
  )
}
