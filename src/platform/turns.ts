/**
 * Long computations take turns: in each pass of the event loop, one of those that wait continues, so
 * that requests that compute little do not wait for many that compute much.
 */

/** Waits for the next turn. */
export type NextTurn = () => Promise<void>

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
