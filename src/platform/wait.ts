/** Waiting that ends early, and well, when somebody asks for it. */
import { setTimeout as pause } from 'node:timers/promises'

export const waitFor = (ms: number, signal: AbortSignal): Promise<void> =>
  pause(ms, undefined, { signal }).catch(() => undefined)
