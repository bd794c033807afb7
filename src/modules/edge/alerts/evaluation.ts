/**
 * Judges the rules for which a window has ended. Any number of nodes may do so at the same time:
 * each takes other rules, under a lease, and what was found is written only if the rule is still as
 * it was. A rule whose logs cannot be counted stays as it is and is tried again by the next run.
 */
import type { Log } from '../../../platform/log.ts'
import { known, unknown } from '../../../platform/lookup.ts'
import { withDeadline } from '../../../platform/net/deadline.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import { findOldestWaiting } from '../../../platform/spool/index.ts'
import type { CountPerMinute } from './counting/store.ts'
import {
  type AlertState,
  CATCH_UP_MINUTES,
  countedTime,
  dueSpan,
  judge,
  type Transition,
} from './state.ts'
import { type AlertRow, claimAlerts, settleAlerts } from './store.ts'

export type EvaluationOptions = {
  db: Db
  log: Log
  countPerMinute: CountPerMinute
  /** Within this time a log may come late and still fire the alerts of its time. */
  edge_alert_lateness_minutes: number
  /** Of one count. Default: ten seconds. */
  count_timeout_ms?: number
}

export type Evaluated = { judged: number; failed: number; fired: number; resolved: number }

const MINUTE_MS = 60_000
const RULES_PER_CLAIM = 16
const COUNTS_IN_FLIGHT_MAX = 4
const COUNT_TIMEOUT_MS = 10_000
/** Longer than all counts of a claim can take one after another, four at a time. */
const LEASE_SECONDS = 60

type Judged = { rule: AlertRow; next: AlertState; transitions: Transition[]; failure?: unknown }

export function createEvaluation(
  options: EvaluationOptions,
): (now: Date, signal: AbortSignal) => Promise<Evaluated> {
  return async (now, signal) => {
    const until = await countableUntil(options.db, now)
    const sum: Evaluated = { judged: 0, failed: 0, fired: 0, resolved: 0 }
    const failed: string[] = []
    let failure: unknown
    while (!signal.aborted) {
      const claim = { limit: RULES_PER_CLAIM, lease_seconds: LEASE_SECONDS, except: failed }
      const rules = await claimAlerts(options.db, until, claim)
      if (rules.length === 0) break
      const judged = await judgeAll(options, rules, until, signal)
      const written = await settle(options, judged)
      for (const { rule, failure: reason, transitions } of judged) {
        if (reason !== undefined) failed.push(rule.id)
        failure ??= reason
        if (!written.has(rule.id)) continue
        if (reason === undefined) sum.judged += 1
        for (const { kind } of transitions) sum[kind] += 1
      }
      // Nothing could be counted: the engine is away, and asking it for the others would be in vain.
      if (judged.every(({ failure: reason }) => reason !== undefined)) break
    }
    sum.failed = failed.length
    if (failed.length > 0 && !signal.aborted) {
      options.log.warn({ err: failure, ...sum }, 'alert rules were not judged; the next run tries')
    }
    return sum
  }
}

/**
 * Until when everything that was received can be counted: with logs on their way to the engine a
 * silence is not to be told from a delay. What waits for longer than is looked back holds up nothing.
 */
async function countableUntil(db: Db, now: Date): Promise<Date> {
  const oldest = (await findOldestWaiting(db, 'edge_logs')) ?? now
  const earliest = now.getTime() - CATCH_UP_MINUTES * MINUTE_MS
  return new Date(Math.max(earliest, Math.min(now.getTime(), oldest.getTime())))
}

async function judgeAll(
  options: EvaluationOptions,
  rules: readonly AlertRow[],
  until: Date,
  signal: AbortSignal,
): Promise<Judged[]> {
  const judged: Judged[] = []
  const waiting = rules.values()
  const work = async () => {
    for (const rule of waiting) judged.push(await judgeOne(options, rule, until, signal))
  }
  await Promise.all(Array.from({ length: COUNTS_IN_FLIGHT_MAX }, work))
  return judged
}

/** Never rejects. */
async function judgeOne(
  options: EvaluationOptions,
  rule: AlertRow,
  until: Date,
  signal: AbortSignal,
): Promise<Judged> {
  const { countPerMinute, count_timeout_ms = COUNT_TIMEOUT_MS } = options
  const lateness_minutes = options.edge_alert_lateness_minutes
  const span = dueSpan(rule, until)
  if (!span) return { rule, next: rule, transitions: [] }
  const time = countedTime(rule, span, lateness_minutes)
  let failure: unknown
  const counted = await withDeadline({ timeoutMs: count_timeout_ms, signal }, async () => {
    try {
      return known(await countPerMinute(rule, time, count_timeout_ms))
    } catch (error) {
      failure = error
      return unknown('server_error')
    }
  })
  if (counted.known) {
    const { state, transitions } = judge(rule, rule, {
      counts: counted.value,
      span,
      lateness_minutes,
    })
    return { rule, next: state, transitions }
  }
  return { rule, next: rule, transitions: [], failure: failure ?? new Error(counted.reason) }
}

async function settle(
  { db, log }: EvaluationOptions,
  judged: readonly Judged[],
): Promise<Set<string>> {
  const written = await settleAlerts(
    db,
    judged.map(({ rule, next }) => ({ org_id: rule.org_id, id: rule.id, was: rule, next })),
  )
  for (const { rule, transitions } of judged) {
    if (!written.has(rule.id)) continue
    for (const { kind, at } of transitions) {
      log.info({ org_id: rule.org_id, alert_id: rule.id, at }, `alert ${kind}`)
    }
  }
  return written
}
