/**
 * Tiny orders of strangers in a whole organization. Stolen cards can be tried out without any key
 * that the orders share, but not without a rush of tiny amounts. Times are in ms since 1970.
 */
import { DAY_MS, MINUTE_MS } from '../../platform/time-units.ts'
import { curve, interpolate } from '../risk/index.ts'
import { type Assessment, assessed, QUIET } from './measurement.ts'
import { decay, readable, round } from './numbers.ts'

export type TinyRateState = {
  /** Time of the latest tiny order */
  readonly at: number
  /** Decayed counts with half-lives of 15 minutes and 7 days */
  readonly now: number
  readonly week: number
}

const NOW_MS = 15 * MINUTE_MS
const WEEK_MS = 7 * DAY_MS
/** Strength by the decayed number of tiny orders, in multiples of what is usual. */
const RUSH = curve({ 5: 0, 6.5: 60, 8: 70, 16: 90 })
/** A rush of a few times the usual number occurs in every sale. */
const USUAL_FACTOR = 4

export function learnTinyRate(state: TinyRateState | undefined, at_ms: number): TinyRateState {
  const at = Math.max(state?.at ?? at_ms, at_ms)
  const kept = (count: number | undefined, half_life_ms: number): number =>
    (count ?? 0) * decay(at - (state?.at ?? at), half_life_ms) + decay(at - at_ms, half_life_ms)
  return { at, now: round(kept(state?.now, NOW_MS)), week: round(kept(state?.week, WEEK_MS)) }
}

/** @param state including the order @returns finding `many_tiny_orders` */
export function assessTinyRate(state: TinyRateState): Assessment {
  // Without the present rush, which would otherwise excuse itself.
  const before = Math.max(0, state.week - state.now)
  const usual = (before * NOW_MS) / WEEK_MS
  const strength = interpolate(RUSH, state.now / (1 + USUAL_FACTOR * usual))
  if (strength === 0) return QUIET
  const numbers = { count: readable(state.now), window: '15m', expected: readable(usual) }
  return assessed(strength, 'many_tiny_orders', { ...numbers, key: 'organization' })
}
