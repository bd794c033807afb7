/** The clock of a demonstration: it stands where the story is told, and follows the system afterwards. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Clock, systemClock } from '../src/platform/clock.ts'

/** Times are milliseconds since 1970. */
export type StoryClock = Clock & {
  /** Stands there from now on, for everybody. */
  standAt(at: number): void
  /** It is then for this work and all that it causes, whatever others do side by side. */
  runAt<T>(at: number, work: () => Promise<T>): Promise<T>
  /** Goes with the system from now on, as it does in the beginning. */
  follow(): void
}

export function createStoryClock(): StoryClock {
  const own = new AsyncLocalStorage<{ at: number; turn: number }>()
  let standing: number | undefined
  // What some work has left running must not have its time for ever.
  let turn = 0
  return {
    now: () => {
      const told = own.getStore()
      const at = told?.turn === turn ? told.at : standing
      return at === undefined ? systemClock.now() : new Date(at)
    },
    standAt: (at) => {
      turn += 1
      standing = at
    },
    runAt: (at, work) => own.run({ at, turn }, work),
    follow: () => {
      turn += 1
      standing = undefined
    },
  }
}
