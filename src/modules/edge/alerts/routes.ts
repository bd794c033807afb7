/** Specification, "Edge devices and logs": alert rules, for members of the organisation (OP-16). */
import { userOf } from '../../../platform/http/access.ts'
import type { App } from '../../../platform/http/app.ts'
import { envelope, responses } from '../../../platform/http/envelope.ts'
import { notFound } from '../../../platform/http/errors.ts'
import { type Members, requireMember } from '../../accounts/index.ts'
import { type AlertLimits, alertSchemas } from './schema.ts'
import type { Alerts } from './service.ts'

export type AlertRouteDependencies = {
  accounts: Members
  alerts: Pick<Alerts, 'create' | 'list' | 'remove'>
  field_limits: AlertLimits
}

const LISTED = 'Alerts'
const CREATED = 'Alert created'
const DELETED = 'Alert deleted'

const config = { access: 'portal', rate_class: 'console' } as const
const tags = ['Edge']

export function edgeAlertRoutes(app: App, deps: AlertRouteDependencies): void {
  const { accounts, alerts, field_limits } = deps
  const schemas = alertSchemas(field_limits)

  app.get(
    '/v1/edge/alerts',
    {
      config,
      schema: {
        operationId: 'listEdgeAlerts',
        summary: 'The alert rules of an organisation, and which of them fire',
        tags,
        'x-open-point': 'OP-16, OP-70',
        querystring: schemas.inOrganization,
        response: responses(schemas.alerts, LISTED),
      },
    },
    async (request) => {
      const { org_id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      return envelope(LISTED, await alerts.list(org_id))
    },
  )

  app.post(
    '/v1/edge/alerts',
    {
      config,
      schema: {
        operationId: 'createEdgeAlert',
        summary: 'Make an alert rule: so many logs of a kind within so many minutes',
        tags,
        'x-open-point': 'OP-16, OP-18, OP-37, OP-70, OP-73',
        body: schemas.create,
        response: responses(schemas.alert, CREATED),
      },
    },
    async (request) => {
      await requireMember(accounts, userOf(request).user_id, request.body.org_id)
      return envelope(CREATED, await alerts.create(request.body))
    },
  )

  app.delete(
    '/v1/edge/alerts',
    {
      config,
      schema: {
        operationId: 'deleteEdgeAlert',
        summary: 'Delete an alert rule',
        tags,
        'x-open-point': 'OP-16, OP-38',
        querystring: schemas.oneAlert,
        response: responses(schemas.nothing, DELETED),
      },
    },
    async (request) => {
      const { org_id, id } = request.query
      await requireMember(accounts, userOf(request).user_id, org_id)
      if (!(await alerts.remove(org_id, id))) throw notFound()
      return envelope(DELETED, {})
    },
  )
}
