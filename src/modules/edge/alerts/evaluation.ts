/**
 * Evaluates the log alert rules for which a window has ended. Any number of nodes can do so at the
 * same time: each claims different rules under a lease, and a result is written only if the rule has
 * not changed since. A rule whose logs cannot be counted is left unchanged for the next run.
 */
import type { Log } from '../../../platform/log.ts'
import { known, unknown } from '../../../platform/lookup.ts'
import { withDeadline } from '../../../platform/net/deadline.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { readOldestWaiting } from '../../../platform/spool/index.ts'
import { MINUTE_MS } from '../../../platform/time-units.ts'
import { reportTransitions } from './alert-notifications.ts'
import { countRule } from './counting.ts'
import type { CountPerMinute } from './minute-counts.store.ts'
import {
  type AlertState,
  CATCH_UP_MINUTES,
  countedTime,
  dueSpan,
  judge,
  type Transition,
} from './state.ts'
import { type ClaimedAlert, claimAlerts, settleAlerts } from './store.ts'

export type EvaluationOptions = {
  db: Database
  log: Log
  countPerMinute: CountPerMinute
  /** A log that arrives this late can still fire an alert for the time it happened. */
  edge_alert_lateness_minutes: number
  /** Time limit of one count. Default: ten seconds. */
  count_timeout_ms?: number
}

export type Evaluated = { judged: number; failed: number; fired: number; resolved: number }

const COUNTS_IN_FLIGHT_MAX = 4
const COUNT_TIMEOUT_MS = 10_000
/** The lease is longer than all counts can take: 16 rules, four at a time, ten seconds each. */
const CLAIM = { limit: 16, lease_seconds: 60 }

type Judged = { rule: ClaimedAlert; next: AlertState; transitions: Transition[]; failure?: unknown }

export function createEvaluation(options: EvaluationOptions) {
  return async (now: Date, signal: AbortSignal): Promise<Evaluated> => {
    const held = await readHeld(options.db, now)
    const sum: Evaluated = { judged: 0, failed: 0, fired: 0, resolved: 0 }
    const failed: string[] = []
    let failure: unknown
    while (!signal.aborted) {
      const rules = await claimAlerts(options.db, { now, held, except: failed, ...CLAIM })
      if (rules.length === 0) break
      const judged = await judgeAll(options, rules, signal)
      const written = await settle(options, judged)
      for (const { rule, failure: reason, transitions } of judged) {
        if (reason !== undefined) failed.push(rule.id)
        failure ??= reason
        if (!written.has(rule.id)) continue
        if (reason === undefined) sum.judged += 1
        for (const { kind } of transitions) sum[kind] += 1
      }
      // No count succeeded, so the engine is unavailable and the other rules would fail as well.
      if (judged.every(({ failure: reason }) => reason !== undefined)) break
    }
    sum.failed = failed.length
    if (failed.length > 0 && !signal.aborted) {
      options.log.warn(
        { err: failure, ...sum },
        'some log alert rules could not be evaluated; the next run will retry',
      )
    }
    return sum
  }
}

/**
 * The times up to which all logs that an organization sent are in the engine, of those with logs
 * in the spool. Later minutes are not evaluated, because silence cannot be distinguished from a delay. A
 * batch that has waited longer than the catch-up period does not hold the evaluation up.
 */
async function readHeld(db: Db, now: Date): Promise<Map<string, Date>> {
  const earliest = now.getTime() - CATCH_UP_MINUTES * MINUTE_MS
  const clamp = (oldest: Date) => Math.max(earliest, Math.min(now.getTime(), oldest.getTime()))
  const waiting = await readOldestWaiting(db, 'edge_logs')
  return new Map(Array.from(waiting, ([orgId, oldest]) => [orgId, new Date(clamp(oldest))]))
}

async function judgeAll(
  options: EvaluationOptions,
  rules: readonly ClaimedAlert[],
  signal: AbortSignal,
): Promise<Judged[]> {
  const judged: Judged[] = []
  const waiting = rules.values()
  const work = async () => {
    for (const rule of waiting) judged.push(await judgeOne(options, rule, signal))
  }
  await Promise.all(Array.from({ length: COUNTS_IN_FLIGHT_MAX }, work))
  return judged
}

/** Never rejects. */
async function judgeOne(
  options: EvaluationOptions,
  rule: ClaimedAlert,
  signal: AbortSignal,
): Promise<Judged> {
  const { countPerMinute, count_timeout_ms = COUNT_TIMEOUT_MS } = options
  const lateness_minutes = options.edge_alert_lateness_minutes
  const span = dueSpan(rule, rule.until)
  if (!span) return { rule, next: rule, transitions: [] }
  const time = countedTime(rule, span, lateness_minutes)
  let failure: unknown
  const counted = await withDeadline({ timeoutMs: count_timeout_ms, signal }, async () => {
    try {
      return known(await countRule(countPerMinute, rule, time, count_timeout_ms))
    } catch (error) {
      failure = error
      return unknown('server_error')
    }
  })
  if (counted.known) {
    const facts = { ...counted.value, span, lateness_minutes }
    const { state, transitions } = judge(rule, rule, facts)
    return { rule, next: state, transitions }
  }
  return { rule, next: rule, transitions: [], failure: failure ?? new Error(counted.reason) }
}

async function settle({ db, log }: EvaluationOptions, judged: readonly Judged[]) {
  const written = await db.transaction().execute(async (tx) => {
    const settlements = judged.map(({ rule, next }) => {
      const { org_id, id } = rule
      return { org_id, id, was: rule, next }
    })
    const ids = await settleAlerts(tx, settlements)
    await reportTransitions(
      tx,
      judged.filter(({ rule }) => ids.has(rule.id)),
    )
    return ids
  })
  for (const { rule, transitions } of judged) {
    if (!written.has(rule.id)) continue
    for (const { kind, at } of transitions) {
      log.info({ org_id: rule.org_id, alert_id: rule.id, at }, `alert ${kind}`)
    }
  }
  return written
}
