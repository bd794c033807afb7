/**
 * One overall deadline for a look-up. However the work stalls (no answer, one byte per second, a
 * library that ignores its signal), the caller gets a Lookup when the time is up.
 */
import { type Lookup, unknown } from '../lookup.ts'

export type Deadline = {
  readonly timeoutMs: number
  /** Lets the caller stop earlier. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Runs `work` and never rejects. Running out of time, or an abort by the caller, resolves to
 * `unknown('timeout')`, and an exception to `unknown('bad_answer')`. The signal that the work
 * receives aborts at the same moment, so that sockets are closed.
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
