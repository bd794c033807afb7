/** How long to wait before the next attempt, and the waiting. */
import type { Timers } from './types.ts'

export const BACKOFF_MS_MIN = 1_000
export const BACKOFF_MS_MAX = 60_000
/** When somebody has to do something first: a key, an address. */
export const BLOCKED_MS = 5 * 60_000

/** After the n-th failure in a row 1, 2, 4 … 60 s, of which up to half is left to chance. */
export const backoffMs = (failures: number, random: number): number =>
  Math.round(
    Math.min(BACKOFF_MS_MAX, BACKOFF_MS_MIN * 2 ** Math.min(failures - 1, 10)) * (1 - random / 2),
  )

export type Pause = {
  begin: (ms: number, isTold: boolean) => void
  end: () => void
  isOn: () => boolean
  /** Whether it is the one that the service asked for. */
  isTold: () => boolean
}

/** By a timer and not by the time of day, which on a device may be set back by years. */
export function createPause(timers: Timers, onOver: () => void): Pause {
  let current: { timer: unknown; isTold: boolean } | undefined
  const end = (): void => {
    timers.clear(current?.timer)
    current = undefined
  }
  return {
    begin: (ms, isTold) => {
      end()
      const timer = timers.set(() => {
        end()
        onOver()
      }, ms)
      current = { timer, isTold }
    },
    end,
    isOn: () => current !== undefined,
    isTold: () => current?.isTold ?? false,
  }
}
