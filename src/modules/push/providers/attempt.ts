/** One overall deadline for everything that an attempt to send consists of. */
import { setMaxListeners } from 'node:events'

export type Stop = {
  /** The caller's. */
  readonly signal: AbortSignal
  /** Until the deadline. */
  leftMs(): number
  /** The work, or undefined as soon as it is no longer wanted. It must not reject. */
  race<T>(work: Promise<T>): Promise<T | undefined>
  /** Why a race was lost. */
  reason(): 'stopped' | 'timeout'
}

/** Makes no timer and no listener of its own before somebody races: attempts come by thousands. */
export function startAttempt({
  deadline_ms,
  signal,
}: {
  deadline_ms: number
  signal: AbortSignal
}): Stop {
  const until = performance.now() + deadline_ms
  const leftMs = () => Math.max(0, Math.ceil(until - performance.now()))
  return {
    signal,
    leftMs,
    race: async (work) => {
      if (signal.aborted) return undefined
      const end = endOf(signal, leftMs())
      try {
        return await Promise.race([work, end.promise])
      } finally {
        end.forget()
      }
    },
    reason: () => (signal.aborted ? 'stopped' : 'timeout'),
  }
}

function endOf(signal: AbortSignal, leftMs: number) {
  let forget = () => {}
  const promise = new Promise<undefined>((resolve) => {
    const end = () => resolve(undefined)
    const timer = setTimeout(end, leftMs)
    // A broadcast is stopped by one signal.
    setMaxListeners(0, signal)
    signal.addEventListener('abort', end, { once: true })
    forget = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', end)
    }
  })
  return { promise, forget: () => forget() }
}
