/** Log alert rules of an organization and their periodic evaluation. They apply to live logs only. */
import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { MINUTE_MS } from '../../../platform/time-units.ts'
import type { insertAudit } from '../../audit/index.ts'
import { parseQuery } from '../logs/query/parse.ts'
import { hasTime } from '../logs/query/time.ts'
import { endAlerts, muteNotifications } from './alert-notifications.ts'
import { createEvaluation, type Evaluated, type EvaluationOptions } from './evaluation.ts'
import { deleteFirings, listFirings } from './firings.store.ts'
import { type PreviewedRule, previewAlert } from './preview.ts'
import type { Alert, AlertFirings, AlertPreview, Condition, CreateAlert } from './schema.ts'
import {
  type AlertRow,
  deleteAlert,
  hasAlert,
  insertAlert,
  listAlerts,
  muteAlert,
  updateAlert,
} from './store.ts'

export type AlertOptions = EvaluationOptions & {
  clock: Clock
  newId: NewId
  audit: typeof insertAudit
  /** Maximum number of rules of an organization. */
  edge_alerts_max: number
}

/** The user is null for the service itself. */
type Actor = { org_id: string; user_id: string | null }

export type Alerts = {
  /** @throws AppError 400 naming `condition.q`, `ratio_percent` or `org_id` */
  create(actor: Actor, request: CreateAlert): Promise<Alert>
  /** Replaces the rule, which keeps its state. @returns undefined if there is no such rule */
  change(actor: Actor, id: string, request: CreateAlert): Promise<Alert | undefined>
  /** @param minutes 0 ends a mute. @returns undefined if there is no such rule */
  mute(actor: Actor, id: string, minutes: number): Promise<Alert | undefined>
  /** @returns undefined if there is no such rule */
  firings(orgId: string, id: string): Promise<AlertFirings | undefined>
  /** Newest first. */
  list(orgId: string): Promise<Alert[]>
  /** @returns whether the rule existed */
  remove(actor: Actor, id: string): Promise<boolean>
  /** Evaluates such a rule over the past days. @throws AppError 400 naming `q` */
  preview(rule: PreviewedRule): Promise<AlertPreview>
  /** Runs on every worker, by schedule. @throws when the database is unavailable */
  evaluate(now: Date, signal: AbortSignal): Promise<Evaluated>
}

export function createAlerts(options: AlertOptions): Alerts {
  const { db, clock, newId, audit, edge_alerts_max } = options
  const audited = async (tx: Db, { org_id, user_id }: Actor, verb: string, row: AlertRow) => {
    const at = clock.now()
    const entry = { id: newId(at), at, actor_user_id: user_id, target: row.name }
    await audit(tx, org_id, { ...entry, action: `alert_rule.${verb}`, details: { id: row.id } })
  }
  return {
    create: async (actor, request) => {
      const { org_id } = actor
      const rule = readRule(request)
      const created_at = clock.now()
      const alert = { org_id, id: newId(created_at), ...rule, created_at }
      return await db.transaction().execute(async (tx) => {
        const row = await insertAlert(tx, alert, edge_alerts_max)
        if (!row) {
          const message = `org_id already has ${edge_alerts_max} alert rules, the maximum; delete one first`
          throw invalidRequest('org_id', message)
        }
        await audited(tx, actor, 'created', row)
        return toAlert(row)
      })
    },
    change: async (actor, id, request) => {
      if (!isUuid(id)) return undefined
      const rule = readRule(request)
      return await db.transaction().execute(async (tx) => {
        const row = await updateAlert(tx, { org_id: actor.org_id, id, ...rule })
        if (row) await audited(tx, actor, 'changed', row)
        return row && toAlert(row)
      })
    },
    mute: async (actor, id, minutes) => {
      if (!isUuid(id)) return undefined
      const until = minutes === 0 ? null : new Date(clock.now().getTime() + minutes * MINUTE_MS)
      return await db.transaction().execute(async (tx) => {
        const row = await muteAlert(tx, { org_id: actor.org_id, id }, until)
        if (!row) return undefined
        await muteNotifications(tx, row)
        await audited(tx, actor, until === null ? 'unmuted' : 'muted', row)
        return toAlert(row)
      })
    },
    firings: async (org_id, id) => {
      if (!isUuid(id) || !(await hasAlert(db, { org_id, id }))) return undefined
      const firings = await listFirings(db, { org_id, id }, FIRINGS_MAX + 1)
      return { firings: firings.slice(0, FIRINGS_MAX), is_complete: firings.length <= FIRINGS_MAX }
    },
    list: async (orgId) => (await listAlerts(db, orgId)).map(toAlert),
    remove: async (actor, id) => {
      if (!isUuid(id)) return false
      const rule = { org_id: actor.org_id, id }
      return await db.transaction().execute(async (tx) => {
        await endAlerts(tx, [{ rule, at: clock.now() }])
        await deleteFirings(tx, rule)
        const row = await deleteAlert(tx, rule)
        if (row) await audited(tx, actor, 'deleted', row)
        return row !== undefined
      })
    },
    preview: async (rule) => {
      requireQuery('q', rule.condition)
      requireRatio(rule)
      return await previewAlert(options, rule)
    },
    evaluate: createEvaluation(options),
  }
}

/** The newest firings of a rule that are listed. */
const FIRINGS_MAX = 100

function readRule(request: CreateAlert) {
  const { name, condition, threshold, window_minutes } = request
  requireQuery('condition.q', condition)
  requireRatio(request)
  const { kind = 'count', ratio_percent = null } = request
  return { name, kind, condition, threshold, window_minutes, ratio_percent }
}

function requireRatio({ kind, ratio_percent }: Pick<CreateAlert, 'kind' | 'ratio_percent'>): void {
  if ((kind === 'ratio') === (ratio_percent !== undefined)) return
  const problem = kind === 'ratio' ? 'is required for' : 'is allowed only for'
  throw invalidRequest('ratio_percent', `ratio_percent ${problem} the kind ratio`)
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
  const { org_id: _org, evaluated_until: _until, created_at: _created, version: _, ...alert } = row
  return {
    ...alert,
    muted_until: row.muted_until?.toISOString() ?? null,
    last_fired_at: row.last_fired_at?.toISOString() ?? null,
    last_resolved_at: row.last_resolved_at?.toISOString() ?? null,
  }
}
