/**
 * One overall deadline around a look-up. However the work stalls (no answer, one byte a second,
 * a library that ignores its signal) the caller has its Lookup when the time is up.
 */
import { type Lookup, unknown } from '../lookup.ts'

export type Deadline = {
  readonly timeoutMs: number
  /** The caller's own wish to stop earlier. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs `work` and never rejects: out of time, or stopped by the caller's signal, is
 * `unknown('timeout')`; an exception of the work is `unknown('bad_answer')`. The signal handed to
 * the work aborts at the same instant, so that sockets are closed.
 */
export async function withDeadline<T>(
  { timeoutMs, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<Lookup<T>>,
): Promise<Lookup<T>> {
  if (signal?.aborted === true || timeoutMs <= 0) return unknown('timeout')
  const controller = new AbortController()
  const stop = () => controller.abort()
  const timer = setTimeout(stop, timeoutMs)
  signal?.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work(controller.signal), outOfTime(controller.signal)])
  } catch {
    return unknown(controller.signal.aborted ? 'timeout' : 'bad_answer')
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
  }
}

function outOfTime(signal: AbortSignal): Promise<Lookup<never>> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(unknown('timeout')), { once: true })
  })
}
