/** Specification, "Edge devices and logs": log alert rules for members of the organization (OP-16). */
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { adminOperation, memberOperation } from '../member-operation.ts'
import { type AlertLimits, alertSchemas } from './schema.ts'
import type { Alerts } from './service.ts'

export type AlertRouteDependencies = {
  alerts: Pick<Alerts, 'create' | 'list' | 'remove'>
  field_limits: AlertLimits
}

const PATH = '/v1/edge/alerts'
const LISTED = 'Alerts'
const CREATED = 'Alert created'
const DELETED = 'Alert deleted'

export function edgeAlertRoutes(app: App, deps: AlertRouteDependencies): void {
  const { alerts, field_limits } = deps
  const schemas = alertSchemas(field_limits)

  app.get(
    PATH,
    memberOperation(
      'listEdgeAlerts',
      'List the log alert rules of an organization with their status',
      {
        'x-open-point': 'OP-16, OP-70, OP-143, OP-171',
        querystring: schemas.listQuery,
        response: responses(schemas.alerts, LISTED),
      },
    ),
    async ({ member }) => envelope(LISTED, await alerts.list(member.org_id)),
  )

  app.post(
    PATH,
    adminOperation(
      'createEdgeAlert',
      'Create an alert rule that fires when matching logs reach a threshold in a window',
      {
        'x-open-point': 'OP-16, OP-18, OP-37, OP-70, OP-73, OP-143, OP-171, OP-172',
        body: schemas.create,
        response: responses(schemas.alert, CREATED),
      },
    ),
    async ({ member, body }) => envelope(CREATED, await alerts.create(member, body)),
  )

  app.delete(
    PATH,
    adminOperation('deleteEdgeAlert', 'Delete an alert rule', {
      'x-open-point': 'OP-16, OP-38, OP-172',
      querystring: schemas.oneAlert,
      response: responses(schemas.nothing, DELETED),
    }),
    async ({ member, query }) => {
      if (!(await alerts.remove(member, query.id))) throw notFound()
      return envelope(DELETED, {})
    },
  )
}
