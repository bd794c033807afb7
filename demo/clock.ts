/**
 * The clock of the demo: it can be frozen while the story is replayed, and follows the system
 * otherwise.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { type Clock, systemClock } from '../src/platform/clock.ts'

/** Times are milliseconds since 1970. */
export type StoryClock = Clock & {
  freezeAt(at: number): void
  /** Runs work at a time of its own, which also applies to everything that it awaits. */
  runAt<T>(at: number, work: () => Promise<T>): Promise<T>
  follow(): void
}

export function createStoryClock(): StoryClock {
  const own = new AsyncLocalStorage<{ at: number; turn: number }>()
  let frozen: number | undefined
  // Work that is left running loses its own time when the time of all others changes.
  let turn = 0
  const setTo = (at: number | undefined) => {
    turn += 1
    frozen = at
  }
  return {
    now: () => {
      const work = own.getStore()
      const at = work?.turn === turn ? work.at : frozen
      return at === undefined ? systemClock.now() : new Date(at)
    },
    freezeAt: setTo,
    runAt: (at, work) => own.run({ at, turn }, work),
    follow: () => setTo(undefined),
  }
}
