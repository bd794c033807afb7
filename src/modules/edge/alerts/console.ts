/** Previews an alert rule before it is created. */
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { type AlertLimits, alertSchemas } from './schema.ts'
import type { Alerts } from './service.ts'

export type AlertPreviewDependencies = {
  alerts: Pick<Alerts, 'preview'>
  field_limits: AlertLimits
}

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const

export function alertPreviewRoutes(app: App, deps: AlertPreviewDependencies): void {
  const { alerts, field_limits } = deps
  const { name: _, condition: filters, ...limits } = alertSchemas(field_limits).create.properties
  const querystring = strictObject({ ...filters.properties, ...limits })

  app.get(
    '/console/api/edge/alerts/preview',
    { config: MEMBER, schema: { querystring } },
    async ({ member: { org_id }, query }) => {
      const { threshold, window_minutes, ...condition } = query
      const rule = { org_id, condition, threshold, window_minutes }
      return envelope('Preview', await alerts.preview(rule))
    },
  )
}
