/**
 * One overall deadline for everything that an attempt to send consists of. It makes no timer and no
 * listener of its own before somebody races: attempts come by thousands.
 */
import { setMaxListeners } from 'node:events'

export type Attempt = {
  /** The caller's. */
  readonly signal: AbortSignal
  /** The deadline, by the clock of `performance.now()`. */
  readonly ends_at: number
}

export const startAttempt = (deadlineMs: number, signal: AbortSignal): Attempt => ({
  signal,
  ends_at: performance.now() + deadlineMs,
})

/** Until the deadline. */
export const leftMs = ({ ends_at }: Attempt): number =>
  Math.max(0, Math.ceil(ends_at - performance.now()))

/** The work, or undefined as soon as it is no longer wanted. It must not reject. */
export async function race<T>(attempt: Attempt, work: Promise<T>): Promise<T | undefined> {
  const { signal } = attempt
  if (signal.aborted) return undefined
  let end = () => {}
  const ended = new Promise<undefined>((resolve) => {
    end = () => resolve(undefined)
  })
  const timer = setTimeout(end, leftMs(attempt))
  // A broadcast is stopped by one signal.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', end, { once: true })
  try {
    return await Promise.race([work, ended])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', end)
  }
}

/** Why a race was lost. */
export const reasonOf = ({ signal }: Attempt): 'stopped' | 'timeout' =>
  signal.aborted ? 'stopped' : 'timeout'
