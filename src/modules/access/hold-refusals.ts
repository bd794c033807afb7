/**
 * Delays the refusals of public keys. A copy of one can be in the hands of a sender that ignores 429, and
 * connections that wait for their response send nothing.
 */
import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

/** Different delays, because senders that were refused together would otherwise return together. */
export const HOLD_MIN_MS = 1000
export const HOLD_MAX_MS = 4000
/** Further refusals are sent immediately, so that held ones cannot fill the memory. */
export const HELD_MAX = 1000

/**
 * @param wait resolves after this number of milliseconds
 * @returns a function that resolves when one refusal may be sent
 */
export function createHold(wait: (ms: number) => Promise<unknown> = sleep): () => Promise<void> {
  let held = 0
  return async () => {
    if (held >= HELD_MAX) return
    held += 1
    await wait(randomInt(HOLD_MIN_MS, HOLD_MAX_MS))
    held -= 1
  }
}
