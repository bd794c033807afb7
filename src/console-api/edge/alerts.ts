/** What an alert rule would have done, before it is made. */
import { Type } from 'typebox'
import { type Members, requireMember } from '../../modules/accounts/index.ts'
import { type AlertLimits, type Alerts, alertSchemas } from '../../modules/edge/index.ts'
import { userOf } from '../../platform/http/access.ts'
import type { App } from '../../platform/http/app.ts'
import { envelope } from '../../platform/http/envelope.ts'

export type AlertPreviewDependencies = {
  accounts: Members
  alerts: Pick<Alerts, 'preview'>
  field_limits: AlertLimits
}

const config = { access: 'portal', rate_class: 'console' } as const

export function alertPreviewRoutes(app: App, deps: AlertPreviewDependencies): void {
  const { accounts, alerts, field_limits } = deps
  const { org_id, condition, threshold, window_minutes } =
    alertSchemas(field_limits).create.properties
  const querystring = Type.Object({
    org_id,
    ...condition.properties,
    threshold,
    window_minutes,
  })

  app.get(
    '/console/api/edge/alerts/preview',
    { config, schema: { querystring } },
    async (request) => {
      const { org_id: asked, threshold: count, window_minutes: minutes, ...given } = request.query
      const { org_id: owner } = await requireMember(accounts, userOf(request).user_id, asked)
      const preview = await alerts.preview({
        org_id: owner,
        condition: given,
        threshold: count,
        window_minutes: minutes,
      })
      return envelope('Preview', preview)
    },
  )
}
