/**
 * One deadline for all requests of an attempt to send. There can be thousands of attempts, so timers and
 * listeners are created only by `race`.
 */
import { setMaxListeners } from 'node:events'

export type Attempt = {
  /** Aborted when the caller stops. */
  readonly signal: AbortSignal
  /** Deadline on the clock of `performance.now()`. */
  readonly ends_at: number
}

export const startAttempt = (deadlineMs: number, signal: AbortSignal): Attempt => ({
  signal,
  ends_at: performance.now() + deadlineMs,
})

/** Time left until the deadline. */
export const leftMs = ({ ends_at }: Attempt): number =>
  Math.max(0, Math.ceil(ends_at - performance.now()))

/**
 * @param work must not reject
 * @returns its result, or undefined once the attempt is aborted or past its deadline
 */
export async function race<T>(attempt: Attempt, work: Promise<T>): Promise<T | undefined> {
  const { signal } = attempt
  if (signal.aborted) return undefined
  let end = () => {}
  const ended = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined)
  })
  const timer = setTimeout(end, leftMs(attempt))
  // All attempts of a broadcast listen to the same signal.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work, ended])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

/** Why `race` returned undefined. */
export const reasonOf = ({ signal }: Attempt): 'stopped' | 'timeout' =>
  signal.aborted ? 'stopped' : 'timeout'
