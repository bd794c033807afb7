/** Alert rules of an organisation, and the look at them that recurs. They are about live logs. */
import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import { parseSearch, SEARCH_WORDS_MAX } from '../logs/reading/search-query.ts'
import { createEvaluation, type Evaluated, type EvaluationOptions } from './evaluation.ts'
import { type PreviewedRule, previewAlert } from './preview.ts'
import type { Alert, AlertPreview, Condition, CreateAlert } from './schema.ts'
import { type AlertRow, deleteAlert, insertAlert, listAlerts } from './store.ts'

export type AlertOptions = EvaluationOptions & {
  clock: Clock
  newId: NewId
  /** Rules that an organisation may have. */
  edge_alerts_max: number
}

export type Alerts = {
  /** @throws AppError 400 naming `condition.q` or `org_id` */
  create(request: CreateAlert): Promise<Alert>
  /** Newest first. */
  list(orgId: string): Promise<Alert[]>
  /** @returns whether it was there */
  remove(orgId: string, id: string): Promise<boolean>
  /** What such a rule would have done in the last days. @throws AppError 400 naming `q` */
  preview(rule: PreviewedRule): Promise<AlertPreview>
  /** For the schedule, on every worker. @throws when the database is away */
  evaluate(now: Date, signal: AbortSignal): Promise<Evaluated>
}

export function createAlerts(options: AlertOptions): Alerts {
  const { db, clock, newId, edge_alerts_max } = options
  return {
    create: async ({ org_id, name, condition, threshold, window_minutes }) => {
      const { q } = condition
      if (q !== undefined && !parseSearch(q)) {
        throw invalidRequest('condition.q', `condition.q must hold 1 to ${SEARCH_WORDS_MAX} words`)
      }
      const created_at = clock.now()
      const rule = { name, condition: knownCondition(condition), threshold, window_minutes }
      const alert = { org_id, id: newId(created_at), ...rule, created_at }
      const row = await insertAlert(db, alert, edge_alerts_max)
      if (!row) {
        const message = `org_id has ${edge_alerts_max} alerts, which is the most there can be`
        throw invalidRequest('org_id', message)
      }
      return shownAlert(row)
    },
    list: async (orgId) => (await listAlerts(db, orgId)).map(shownAlert),
    remove: async (orgId, id) => isUuid(id) && (await deleteAlert(db, orgId, id)),
    preview: async (rule) => {
      const { q } = rule.condition
      if (q !== undefined && !parseSearch(q)) {
        throw invalidRequest('q', `q must hold 1 to ${SEARCH_WORDS_MAX} words`)
      }
      return await previewAlert(options, { ...rule, condition: knownCondition(rule.condition) })
    },
    evaluate: createEvaluation(options),
  }
}

/** Members that the contract does not list are not stored (OP-37). */
function knownCondition(condition: Condition): Condition {
  const { level, category, environment, device_id, error_fingerprint, q } = condition
  return {
    ...(level !== undefined && { level }),
    ...(category !== undefined && { category }),
    ...(environment !== undefined && { environment }),
    ...(device_id !== undefined && { device_id }),
    ...(error_fingerprint !== undefined && { error_fingerprint }),
    ...(q !== undefined && { q }),
  }
}

function shownAlert(row: AlertRow): Alert {
  const { id, name, condition, threshold, window_minutes, status } = row
  return {
    id,
    name,
    condition,
    threshold,
    window_minutes,
    status,
    last_fired_at: row.last_fired_at?.toISOString() ?? null,
    last_resolved_at: row.last_resolved_at?.toISOString() ?? null,
  }
}
