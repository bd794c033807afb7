/**
 * Decides whether a log alert fires, from the number of logs in each minute of event time. Windows
 * end at whole minutes. An alert is firing at a minute if a window that ended then, or within the
 * lateness before it, reaches the threshold. So late entries can still fire it, and it is resolved
 * only when no window within the lateness reaches the threshold. An alert about absence is the opposite: it
 * is firing while no window within the lateness reaches the threshold.
 */
import { MINUTE_MS } from '../../../platform/time-units.ts'

export type AlertStatus = 'ok' | 'firing'

export const ALERT_KINDS = ['count', 'absence', 'ratio', 'new_group'] as const
export type AlertKind = (typeof ALERT_KINDS)[number]

export type AlertState = {
  status: AlertStatus
  last_fired_at: Date | null
  last_resolved_at: Date | null
  /** End of the last window that was evaluated; a whole minute. */
  evaluated_until: Date
}

export type AlertRule = {
  /** `count` if absent. */
  kind?: AlertKind
  /** The least share of all logs, for a rule about a ratio. */
  ratio_percent?: number | null
  threshold: number
  window_minutes: number
  /** Windows that ended before it are ignored. */
  created_at: Date
}

/** Number of logs by the minute they happened in, in minutes since 1970; a missing minute has none. */
export type MinuteCounts = ReadonlyMap<number, number>

/** First and last end of the windows to evaluate, both inclusive, in minutes since 1970. */
export type Span = { first: number; last: number }

export type Transition = { kind: 'fired' | 'resolved'; at: Date }

/** After a longer gap in the evaluation, only this much of the past is made up for. */
export const CATCH_UP_MINUTES = 60

export const minuteOf = (time: Date): number => Math.floor(time.getTime() / MINUTE_MS)
const timeOf = (minute: number): Date => new Date(minute * MINUTE_MS)

/**
 * @param until time up to which all received logs can be counted
 * @returns undefined if no window has ended since the last evaluation
 */
export function dueSpan({ evaluated_until }: AlertState, until: Date): Span | undefined {
  const last = minuteOf(until)
  const first = Math.max(minuteOf(evaluated_until) + 1, last - CATCH_UP_MINUTES + 1)
  return first <= last ? { first, last } : undefined
}

/** The period whose logs must be counted to evaluate the span; `until` is exclusive. */
export function countedTime(
  { window_minutes }: Pick<AlertRule, 'window_minutes'>,
  { first, last }: Span,
  latenessMinutes: number,
): { from: Date; until: Date } {
  return { from: timeOf(first - latenessMinutes - window_minutes), until: timeOf(last) }
}

/**
 * Evaluates the span minute by minute, so that a delayed evaluation finds exactly what an evaluation
 * in every minute would have found. Counts outside of `countedTime` make no difference.
 */
export function judge(
  state: AlertState,
  rule: AlertRule,
  facts: { counts: MinuteCounts; totals?: MinuteCounts; span: Span; lateness_minutes: number },
): { state: AlertState; transitions: Transition[] } {
  const { counts, totals, span, lateness_minutes } = facts
  const { kind, window_minutes, created_at } = rule
  const { status, last_fired_at, last_resolved_at } = state
  const next = { status, last_fired_at, last_resolved_at, evaluated_until: timeOf(span.last) }
  const transitions: Transition[] = []
  const firstEnd = span.first - lateness_minutes
  const logs = slidingSum(counts, window_minutes, firstEnd)
  const all = totals && slidingSum(totals, window_minutes, firstEnd)
  const isAbsence = kind === 'absence'
  let lastReached = Number.NEGATIVE_INFINITY
  for (let end = firstEnd; end <= span.last; end += 1) {
    const isReached = reaches(rule, logs(end), all?.(end))
    // Windows that ended before the rule was created neither fire it nor count as silence.
    if (timeOf(end) > created_at ? isReached : isAbsence) lastReached = end
    if (end < span.first) continue
    const isFiring = lastReached >= end - lateness_minutes !== isAbsence
    if (isFiring === (next.status === 'firing')) continue
    const at = timeOf(end)
    next.status = isFiring ? 'firing' : 'ok'
    next[isFiring ? 'last_fired_at' : 'last_resolved_at'] = at
    transitions.push({ kind: isFiring ? 'fired' : 'resolved', at })
  }
  return { state: next, transitions }
}

function reaches(rule: AlertRule, logs: number, all = 0): boolean {
  return logs >= rule.threshold && logs * 100 >= (rule.ratio_percent ?? 0) * all
}

/** Sums the window that ends at a minute. Call it for each minute in order, from `firstEnd` on. */
function slidingSum(counts: MinuteCounts, windowMinutes: number, firstEnd: number) {
  let sum = 0
  for (let minute = firstEnd - windowMinutes; minute < firstEnd - 1; minute += 1) {
    sum += counts.get(minute) ?? 0
  }
  return (end: number): number => {
    const gone = end - 1 - windowMinutes
    sum += (counts.get(end - 1) ?? 0) - (end === firstEnd ? 0 : (counts.get(gone) ?? 0))
    return sum
  }
}
