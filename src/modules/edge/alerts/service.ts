/** Log alert rules of an organization and their periodic evaluation. They apply to live logs only. */
import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import { parseQuery } from '../logs/query/parse.ts'
import { hasTime } from '../logs/query/time.ts'
import { endAlerts } from './alert-notifications.ts'
import { createEvaluation, type Evaluated, type EvaluationOptions } from './evaluation.ts'
import { type PreviewedRule, previewAlert } from './preview.ts'
import type { Alert, AlertPreview, Condition, CreateAlert } from './schema.ts'
import { type AlertRow, deleteAlert, insertAlert, listAlerts } from './store.ts'

export type AlertOptions = EvaluationOptions & {
  clock: Clock
  newId: NewId
  /** Maximum number of rules of an organization. */
  edge_alerts_max: number
}

export type Alerts = {
  /** @throws AppError 400 naming `condition.q` or `org_id` */
  create(orgId: string, request: CreateAlert): Promise<Alert>
  /** Newest first. */
  list(orgId: string): Promise<Alert[]>
  /** @returns whether the rule existed */
  remove(orgId: string, id: string): Promise<boolean>
  /** Evaluates such a rule over the past days. @throws AppError 400 naming `q` */
  preview(rule: PreviewedRule): Promise<AlertPreview>
  /** Runs on every worker, by schedule. @throws when the database is unavailable */
  evaluate(now: Date, signal: AbortSignal): Promise<Evaluated>
}

export function createAlerts(options: AlertOptions): Alerts {
  const { db, clock, newId, edge_alerts_max } = options
  return {
    create: async (org_id, { name, condition, threshold, window_minutes }) => {
      requireQuery('condition.q', condition)
      const created_at = clock.now()
      const rule = { name, condition, threshold, window_minutes }
      const alert = { org_id, id: newId(created_at), ...rule, created_at }
      const row = await insertAlert(db, alert, edge_alerts_max)
      if (!row) {
        const message = `org_id already has ${edge_alerts_max} alert rules, the maximum; delete one first`
        throw invalidRequest('org_id', message)
      }
      return toAlert(row)
    },
    list: async (orgId) => (await listAlerts(db, orgId)).map(toAlert),
    remove: async (org_id, id) => {
      if (!isUuid(id)) return false
      return await db.transaction().execute(async (tx) => {
        await endAlerts(tx, [{ rule: { org_id, id }, at: clock.now() }])
        return await deleteAlert(tx, org_id, id)
      })
    },
    preview: async (rule) => {
      requireQuery('q', rule.condition)
      return await previewAlert(options, rule)
    },
    evaluate: createEvaluation(options),
  }
}

function requireQuery(field: string, { q }: Condition): void {
  const query = q === undefined ? undefined : parseQuery(q)
  if (query === undefined) return
  if ('problem' in query) throw invalidRequest(field, `${field} ${query.problem}`)
  if (hasTime(query.node)) {
    throw invalidRequest(field, `${field} must not have a time, because window_minutes sets it`)
  }
}

function toAlert(row: AlertRow): Alert {
  const { org_id: _org, evaluated_until: _until, created_at: _created, ...alert } = row
  return {
    ...alert,
    last_fired_at: row.last_fired_at?.toISOString() ?? null,
    last_resolved_at: row.last_resolved_at?.toISOString() ?? null,
  }
}
