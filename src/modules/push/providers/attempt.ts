/** One overall deadline for everything that an attempt to send consists of. */
import { setMaxListeners } from 'node:events'

export type Stop = {
  readonly signal: AbortSignal
  /** The work, or undefined as soon as it is no longer wanted. It must not reject. */
  race<T>(work: Promise<T>): Promise<T | undefined>
  /** Who stops by this signal says `stopped`, also when it was the deadline. */
  reasonOf(reason: string): string
}

export async function withStop<T>(
  { deadline_ms, signal }: { deadline_ms: number; signal: AbortSignal },
  attempt: (stop: Stop) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const stop = () => controller.abort()
  if (signal.aborted) stop()
  // A broadcast is stopped by one signal.
  setMaxListeners(0, signal)
  signal.addEventListener('abort', stop, { once: true })
  const timer = setTimeout(stop, deadline_ms)
  const ended = new Promise<undefined>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
  const race = <R>(work: Promise<R>) =>
    controller.signal.aborted ? Promise.resolve(undefined) : Promise.race([work, ended])
  try {
    return await attempt({
      signal: controller.signal,
      race,
      reasonOf: (reason) => (reason === 'stopped' && !signal.aborted ? 'timeout' : reason),
    })
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}
