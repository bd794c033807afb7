/**
 * Arithmetic that all behaviours share. Exact or by `Math.exp` and `Math.log` alone, which V8
 * computes in software: a state comes out the same, bit for bit, wherever it is folded.
 */
export const MINUTE_MS = 60_000
export const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000

/** How far ahead of the service a sender's clock may be. */
const AHEAD_MS = 5 * MINUTE_MS

/** Share that is left after a time; a negative time is none. */
export function decay(elapsed_ms: number, half_life_ms: number): number {
  if (elapsed_ms <= 0) return 1
  const halvings = elapsed_ms / half_life_ms
  return halvings > 60 ? 0 : Math.exp(-Math.LN2 * halvings)
}

/** Rounded to four decimals, so that the JSON of a state stays small. */
export function round(value: number): number {
  // Adding zero turns -0 into 0.
  return Math.round(value * 1e4) / 1e4 + 0
}

/** Rounded to four decimals or, above 10,000, to about as many digits. */
export function compact(value: number): number {
  return value < 1e4 ? round(value) : Math.round(value)
}

export function clamp(value: number, min: number, max: number): number {
  return value < min ? min : value > max ? max : value
}

/** Rounded to two decimals: what a person reads in an explanation. */
export function readable(value: number): number {
  return Math.round(value * 100) / 100 + 0
}

/** The time of an event as told; what lies in the future happens now, nothing before 1970. */
export function eventTime(told_ms: number, now_ms: number): number {
  return told_ms > now_ms + AHEAD_MS ? now_ms : Math.max(1, told_ms)
}
