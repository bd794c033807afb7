/**
 * The last shift events of a cashier in the order of their time, whatever the order of arrival: who
 * is on shift when is read off the list, so that late and repeated events cannot corrupt anything.
 */
const MINUTE_MS = 60_000

export type ShiftEvent = readonly [at: number, type: 'start' | 'end']

export type ShiftStatus =
  | { state: 'open' | 'grace' | 'unknown' }
  | { state: 'closed'; ended_at: number; how: 'ended' | 'expired' }

export type ShiftRules = {
  /** Counting out and handing over after the end. */
  grace_minutes: number
  /** A shift that nobody ended is over then. */
  longest_hours: number
}

const EVENTS_MAX = 6

/** @returns the same list when the event is known or too old to matter */
export function addShiftEvent(
  events: readonly ShiftEvent[],
  event: ShiftEvent,
): readonly ShiftEvent[] {
  if (events.some((known) => compare(known, event) === 0)) return events
  const oldest = events[0]
  if (events.length === EVENTS_MAX && oldest && compare(event, oldest) < 0) return events
  return [...events, event].toSorted(compare).slice(-EVENTS_MAX)
}

/** Unknown before the first event that is remembered, and for those who never sent one. */
export function shiftAt(
  events: readonly ShiftEvent[],
  at_ms: number,
  rules: ShiftRules,
): ShiftStatus {
  const last = events.findLast(([at]) => at <= at_ms)
  if (last === undefined) return { state: 'unknown' }
  const [at, type] = last
  if (type === 'start') {
    const expires_at = at + rules.longest_hours * 60 * MINUTE_MS
    if (at_ms <= expires_at) return { state: 'open' }
    return { state: 'closed', ended_at: expires_at, how: 'expired' }
  }
  if (at_ms - at <= rules.grace_minutes * MINUTE_MS) return { state: 'grace' }
  return { state: 'closed', ended_at: at, how: 'ended' }
}

/** At the same instant a shift ends before the next one starts. */
const compare = ([atA, typeA]: ShiftEvent, [atB, typeB]: ShiftEvent): number =>
  atA - atB || (typeA === typeB ? 0 : typeA === 'end' ? -1 : 1)
