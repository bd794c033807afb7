/** Computes the delay before the next attempt of a failed delivery. */

/** A delay varies by up to this share, so that retries do not all come at the same moment. */
const JITTER = 0.2
/** A receiver can request up to this delay, even if the schedule is shorter. */
const REQUESTED_MAX_MS = 3_600_000

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}
const DURATION = /^([1-9]\d{0,5})([smhd])$/

/** Parses durations such as `5s`, `30m`, `2h` and `1d`. @returns undefined for any other text */
export function durationMs(text: string): number | undefined {
  const [, amount, unit = ''] = DURATION.exec(text) ?? []
  return amount === undefined ? undefined : Number(amount) * (UNITS_MS[unit] ?? 0)
}

export type FailedDelivery = {
  /** Delay after the first failed attempt, after the second, and so on. */
  schedule_ms: readonly number[]
  /** Number of attempts so far, including the failed one. */
  attempts: number
  /** A random number from 0 to just below 1. */
  random: number
  /** Delay requested by the receiver (Retry-After). */
  retry_after_s?: number | undefined
}

/**
 * Returns the scheduled delay, 20 % more or less; longer if the receiver requests it, up to double
 * the schedule or an hour, whichever is more.
 * @returns milliseconds, or undefined if there is no further attempt
 */
export function retryDelayMs(delivery: FailedDelivery): number | undefined {
  const planned = delivery.schedule_ms[delivery.attempts - 1]
  if (planned === undefined) return undefined
  const spread = planned * (1 + JITTER * (2 * delivery.random - 1))
  const requested = (delivery.retry_after_s ?? 0) * 1000
  const most = Math.max(2 * planned, REQUESTED_MAX_MS)
  return Math.round(Math.max(spread, Math.min(requested, most)))
}
