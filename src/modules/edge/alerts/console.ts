/** Log alert rules in the console: previews, changes, mutes, and the history of firings. */
import { Type } from 'typebox'
import type { App } from '../../../platform/http/app.ts'
import { envelope } from '../../../platform/http/envelope.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { strictObject } from '../../../platform/http/schemas.ts'
import { type AlertLimits, alertSchemas } from './schema.ts'
import type { Alerts } from './service.ts'

export type AlertConsoleDependencies = {
  alerts: Pick<Alerts, 'preview' | 'change' | 'mute' | 'firings'>
  field_limits: AlertLimits
}

const MEMBER = { access: { member: 'member' }, rate_class: 'console' } as const
const ADMIN = { access: { member: 'admin' }, rate_class: 'console' } as const
const PATH = '/console/api/edge/alerts'
const MUTE_MINUTES_MAX = 43_200

const params = Type.Object({ id: Type.String() })
const mute = Type.Object({ minutes: Type.Integer({ minimum: 0, maximum: MUTE_MINUTES_MAX }) })

export function alertConsoleRoutes(app: App, deps: AlertConsoleDependencies): void {
  const { alerts, field_limits } = deps
  const { create } = alertSchemas(field_limits)
  const { name: _, condition: filters, ...limits } = create.properties
  const querystring = strictObject({ ...filters.properties, ...limits })

  app.get(
    `${PATH}/preview`,
    { config: MEMBER, schema: { querystring } },
    async ({ member: { org_id }, query }) => {
      const { threshold, window_minutes, kind, ratio_percent, ...condition } = query
      const rule = { org_id, condition, threshold, window_minutes }
      const options = { ...(kind && { kind }), ...(ratio_percent && { ratio_percent }) }
      return envelope('Preview', await alerts.preview({ ...rule, ...options }))
    },
  )
  app.put(
    `${PATH}/:id`,
    { config: ADMIN, schema: { params, body: Type.Object(create.properties) } },
    async ({ member, params: { id }, body }) =>
      envelope('Alert changed', found(await alerts.change(member, id, body))),
  )
  app.post(
    `${PATH}/:id/mute`,
    { config: ADMIN, schema: { params, body: mute } },
    async ({ member, params: { id }, body }) =>
      envelope('Alert muted', found(await alerts.mute(member, id, body.minutes))),
  )
  app.get(
    `${PATH}/:id/firings`,
    { config: MEMBER, schema: { params } },
    async ({ member, params: { id } }) =>
      envelope('Firings', found(await alerts.firings(member.org_id, id))),
  )
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw notFound()
  return value
}
