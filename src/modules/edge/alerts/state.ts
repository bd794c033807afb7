/**
 * Whether an alert fires: a pure rule over how many logs there were in each minute of event time.
 * Windows end at whole minutes. An alert is firing at a minute when a window that ended then, or
 * within the lateness before it, holds at least the threshold; so entries that come late can still
 * fire it, and it is resolved when nothing within the lateness reaches the threshold any more.
 */
export type AlertStatus = 'ok' | 'firing'

/** What was found so far. */
export type AlertState = {
  status: AlertStatus
  last_fired_at: Date | null
  last_resolved_at: Date | null
  /** The last end of a window that was judged; a whole minute. */
  evaluated_until: Date
}

export type AlertRule = {
  threshold: number
  window_minutes: number
  /** Windows that ended before are not its business. */
  created_at: Date
}

/** Logs by the minute they happened in, as the number of minutes since 1970; none where absent. */
export type MinuteCounts = ReadonlyMap<number, number>

/** Ends of windows, in minutes since 1970; both belong to it. */
export type Span = { first: number; last: number }

export type Transition = { kind: 'fired' | 'resolved'; at: Date }

/** After a longer time in which nobody looked, what was before is left out. */
export const CATCH_UP_MINUTES = 60

const MINUTE_MS = 60_000

export const minuteOf = (time: Date): number => Math.floor(time.getTime() / MINUTE_MS)
const timeOf = (minute: number): Date => new Date(minute * MINUTE_MS)

/**
 * @param until all logs that were received before it can be counted
 * @returns undefined when no window has ended since
 */
export function dueSpan({ evaluated_until }: AlertState, until: Date): Span | undefined {
  const last = minuteOf(until)
  const first = Math.max(minuteOf(evaluated_until) + 1, last - CATCH_UP_MINUTES + 1)
  return first <= last ? { first, last } : undefined
}

/** The time whose logs have to be counted to judge the span; `until` does not belong to it. */
export function countedTime(
  { window_minutes }: Pick<AlertRule, 'window_minutes'>,
  { first, last }: Span,
  latenessMinutes: number,
): { from: Date; until: Date } {
  return { from: timeOf(first - latenessMinutes - window_minutes), until: timeOf(last) }
}

/**
 * Goes through the span minute by minute, so that looking late finds what looking every minute
 * would have found. What is counted outside of `countedTime` makes no difference.
 */
export function judge(
  state: AlertState,
  rule: AlertRule,
  facts: { counts: MinuteCounts; span: Span; lateness_minutes: number },
): { state: AlertState; transitions: Transition[] } {
  const { counts, span, lateness_minutes } = facts
  const { threshold, window_minutes, created_at } = rule
  const { status, last_fired_at, last_resolved_at } = state
  const next = { status, last_fired_at, last_resolved_at, evaluated_until: timeOf(span.last) }
  const transitions: Transition[] = []
  const firstEnd = span.first - lateness_minutes
  let inWindow = 0
  for (let minute = firstEnd - window_minutes; minute < firstEnd - 1; minute += 1) {
    inWindow += counts.get(minute) ?? 0
  }
  let lastReached = Number.NEGATIVE_INFINITY
  for (let end = firstEnd; end <= span.last; end += 1) {
    inWindow += counts.get(end - 1) ?? 0
    if (inWindow >= threshold && timeOf(end) > created_at) lastReached = end
    inWindow -= counts.get(end - window_minutes) ?? 0
    if (end < span.first) continue
    const isFiring = lastReached >= end - lateness_minutes
    if (isFiring === (next.status === 'firing')) continue
    const at = timeOf(end)
    next.status = isFiring ? 'firing' : 'ok'
    next[isFiring ? 'last_fired_at' : 'last_resolved_at'] = at
    transitions.push({ kind: isFiring ? 'fired' : 'resolved', at })
  }
  return { state: next, transitions }
}
