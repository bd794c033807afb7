/** Waits for a time; an abort ends the wait early, without an error. */
import { setTimeout as pause } from 'node:timers/promises'

export const waitFor = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal }).catch(() => undefined)
