/** Decides whether and when a request is sent again. */
import type { Answer } from './attempt.ts'

type Failure = Exclude<Answer, { kind: 'success' }>

export type RetryLimits = {
  /** Greatest number of repetitions. */
  retries: number
  /** Pause before the first repetition in milliseconds; it doubles with each of them, up to 8 seconds. */
  backoff_ms: number
}

const BACKOFF_MAX_MS = 8000

/** Whether the service may have carried out a request with this answer. */
export const mayHaveSucceeded = (failure: Failure): boolean => {
  if (failure.kind === 'no_answer') return failure.was_sent
  return failure.kind === 'foreign' ? !isRefused(failure.status) : failure.status >= 500
}

/** A status below 500 of a proxy refuses the request, except for a page with 2xx and a time-out. */
const isRefused = (status: number): boolean => status >= 300 && status < 500 && status !== 408

/**
 * @param repetition 1 for the first one
 * @param left_ms time until the deadline of the call
 * @param random from 0 to 1
 * @returns milliseconds to wait, or undefined if the failure is final
 */
export function pauseBefore(
  failure: Failure,
  {
    repetition,
    is_repeatable,
    left_ms,
    random,
    retries,
    backoff_ms,
  }: RetryLimits & { repetition: number; is_repeatable: boolean; left_ms: number; random: number },
): number | undefined {
  if (repetition > retries || !isWorthwhile(failure)) return undefined
  if (mayHaveSucceeded(failure) && !is_repeatable) return undefined
  const planned = Math.min(backoff_ms * 2 ** (repetition - 1), BACKOFF_MAX_MS)
  // Half of the pause is random, so that clients that failed together do not return together.
  const backoff = planned * (0.5 + random / 2)
  const pause = Math.max(backoff, requestedMs(failure))
  return pause < left_ms ? pause : undefined
}

function isWorthwhile(failure: Failure): boolean {
  if (failure.kind === 'no_answer') return true
  const { status } = failure
  if (failure.kind === 'foreign' && status < 300) return true
  return status === 408 || status === 429 || status >= 500
}

function requestedMs(failure: Failure): number {
  if (failure.kind === 'no_answer') return 0
  const content = failure.kind === 'refusal' ? failure.envelope.content : undefined
  const { retry_after } = (content ?? {}) as { retry_after?: unknown }
  const inBody = typeof retry_after === 'number' ? retry_after : 0
  return Math.max(inBody, failure.retry_after_s ?? 0) * 1000
}
