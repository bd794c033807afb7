/** When what could not be delivered is tried again. Pure: chance and the receiver's wish come in. */

/** Up to this part of a delay is added or taken, lest everything comes back at the same moment. */
const JITTER = 0.2
/** A receiver may ask for so long, even where the schedule is shorter. */
const REQUESTED_MAX_MS = 3_600_000

const UNITS_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
}
const DURATION = /^([1-9]\d{0,5})([smhd])$/

/** `5s`, `30m`, `2h`, `1d`. @returns undefined when the text is none of these */
export function durationMs(text: string): number | undefined {
  const [, amount, unit = ''] = DURATION.exec(text) ?? []
  return amount === undefined ? undefined : Number(amount) * (UNITS_MS[unit] ?? 0)
}

export type RetryQuestion = {
  /** Delay after the first failed attempt, after the second, and so on. */
  schedule_ms: readonly number[]
  /** Attempts made so far, the one that failed included. */
  attempts: number
  /** From 0 up to, not including, 1. */
  random: number
  /** What the receiver asked for (Retry-After). */
  retry_after_s?: number | undefined
}

/**
 * The planned delay, 20 % more or less; longer when the receiver asks for it, up to twice the plan
 * or an hour, whichever is more. Never sooner than planned.
 *
 * @returns milliseconds; undefined when there is no further attempt
 */
export function retryDelayMs(question: RetryQuestion): number | undefined {
  const planned = question.schedule_ms[question.attempts - 1]
  if (planned === undefined) return undefined
  const spread = planned * (1 + JITTER * (2 * question.random - 1))
  const requested = (question.retry_after_s ?? 0) * 1000
  const most = Math.max(2 * planned, REQUESTED_MAX_MS)
  return Math.round(Math.max(spread, Math.min(requested, most)))
}
