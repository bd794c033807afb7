/** The pause before the next attempt: its duration and its timer. */
import type { Timers } from './types.ts'

export const BACKOFF_MS_MIN = 1_000
export const BACKOFF_MS_MAX = 60_000
/** Pause when the operator has to fix the key or the URL first. */
export const BLOCKED_MS = 5 * 60_000

/** Returns the pause after consecutive failures: 1, 2, 4 … 60 s, less up to half at random. */
export const backoffMs = (failures: number, random: number): number =>
  Math.round(
    Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(failures - 1, 10)) * (1 - random / 2),
  )

export type Pause = {
  start: (ms: number, isRequested: boolean) => void
  end: () => void
  isActive: () => boolean
  /** Returns whether the service has requested the current pause. */
  isRequested: () => boolean
}

/** Uses a timer and not the time of day, which can be set back by years on a device. */
export function createPause(timers: Timers, onOver: () => void): Pause {
  let current: { timer: unknown; isRequested: boolean } | undefined
  const end = (): void => {
    timers.clear(current?.timer)
    current = undefined
  }
  return {
    start: (ms, isRequested) => {
      end()
      const timer = timers.set(() => {
        end()
        onOver()
      }, ms)
      current = { timer, isRequested }
    },
    end,
    isActive: () => current !== undefined,
    isRequested: () => current?.isRequested ?? false,
  }
}
