/**
 * Shared arithmetic. It is exact or uses only `Math.exp` and `Math.log`, which V8 computes in
 * software, so states are bit-identical on every machine.
 */
import { MINUTE_MS } from '../../platform/time-units.ts'

/** Tolerated lead of a sender's clock. */
const AHEAD_MS = 5 * MINUTE_MS

/** Returns the share that remains after a time; negative times count as none. */
export function decay(elapsed_ms: number, half_life_ms: number): number {
  if (elapsed_ms <= 0) return 1
  const halvings = elapsed_ms / half_life_ms
  return halvings > 60 ? 0 : Math.exp(-Math.LN2 * halvings)
}

/** Rounds to four decimals so that the JSON of states stays small. */
export function round(value: number): number {
  // Adding zero turns -0 into 0.
  return Math.round(value * 1e4) / 1e4 + 0
}

/** Rounds to four decimals, or above 10,000 to integers. */
export function compact(value: number): number {
  return value < 1e4 ? round(value) : Math.round(value)
}

export const logistic = (x: number): number => 1 / (1 + Math.exp(-x))

export function clamp(value: number, min: number, max: number): number {
  return value < min ? min : value > max ? max : value
}

/** Rounds to two decimals for explanations. */
export function readable(value: number): number {
  return Math.round(value * 100) / 100 + 0
}

/** Bounds the reported time of an event: future times become now, times before 1970 become 1970. */
export function eventTime(reported_ms: number, now_ms: number): number {
  return reported_ms > now_ms + AHEAD_MS ? now_ms : Math.max(1, reported_ms)
}
