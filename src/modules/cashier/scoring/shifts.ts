/**
 * The last shift events of a cashier in the order of their time, not of arrival. Shifts are derived
 * from this list, so that late and repeated events cannot corrupt them.
 */
import { MINUTE_MS } from '../../../platform/time-units.ts'

export type ShiftEvent = readonly [at: number, type: 'start' | 'end']

export type ShiftStatus =
  | { state: 'open' | 'grace' | 'unknown' }
  | { state: 'closed'; ended_at: number; how: 'ended' | 'expired' }

export type ShiftRules = {
  /** Time after the end for counting the drawer and handing over. */
  grace_minutes: number
  /** A shift without an end event expires after this. */
  longest_hours: number
}

const EVENTS_MAX = 6

/** @returns the same list when the event is known or older than all of a full list */
export function addShiftEvent(
  events: readonly ShiftEvent[],
  event: ShiftEvent,
): readonly ShiftEvent[] {
  if (events.some((known) => compare(known, event) === 0)) return events
  const oldest = events[0]
  if (events.length === EVENTS_MAX && oldest && compare(event, oldest) < 0) return events
  return [...events, event].toSorted(compare).slice(-EVENTS_MAX)
}

/** Returns `unknown` before the first stored event, and without events. */
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

/** At the same instant, the end of a shift sorts before the start of the next. */
const compare = ([atA, typeA]: ShiftEvent, [atB, typeB]: ShiftEvent): number =>
  atA - atB || (typeA === typeB ? 0 : typeA === 'end' ? -1 : 1)
