/**
 * Long computations take turns: in each pass of the event loop, one of those that wait continues, so
 * that requests that compute little do not wait for many that compute much.
 */

import { setTimeout as sleep } from 'node:timers/promises'

/** Waits for the next turn. */
export type NextTurn = () => Promise<void>

/**
 * A request of others takes several passes of the event loop, and would otherwise wait for a turn of a long
 * computation in each of them.
 */
const PAUSE_MS = 3

/** Pauses before each turn, for computations that can take longer. */
export const withPauses =
  (nextTurn: NextTurn): NextTurn =>
  async () => {
    await sleep(PAUSE_MS)
    await nextTurn()
  }

export function createTurns(): NextTurn {
  const waiting: (() => void)[] = []
  const continueOne = () => {
    waiting.shift()?.()
    if (waiting.length > 0) setImmediate(continueOne)
  }
  return async () => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve)
      if (waiting.length === 1) setImmediate(continueOne)
    })
  }
}
