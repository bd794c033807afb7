/**
 * Sessions: the visit of one browser, over all its tabs. One ends after 15 minutes without anything
 * done, or 4 hours after it began, and is recorded whole or not at all.
 */
import type { Store } from './storage.ts'

export type Session = { id: string; started: number; active: number; sampled: boolean }

export const IDLE_MS = 15 * 60_000
export const LONGEST_MS = 4 * 3_600_000
/** Writing at each scroll would cost more than it tells. */
const WRITE_EVERY_MS = 1_000

const NAME = 'session'

export type Sessions = {
  /** The session of now, prolonged; a new one when the last is over. */
  extend: (now: number) => Session
  /** The session of now as it is, unless it is over. */
  find: (now: number) => Session | undefined
}

/** `onChange` is told when one begins, with the one that it follows. */
export function createSessions(
  store: Store,
  sampleRate: number,
  newId: () => string,
  onChange: (begun: Session, ended: Session | undefined) => void,
): Sessions {
  let mine: Session | undefined
  // Another tab may have prolonged or replaced it.
  const load = (): Session | undefined => {
    const stored = store.read<Session>(NAME)
    return stored && isSession(stored) ? stored : mine
  }
  const save = (session: Session): void => {
    mine = session
    store.write(NAME, session)
  }
  return {
    extend: (now) => {
      const last = load()
      if (last && isAlive(last, now)) {
        if (now - last.active >= WRITE_EVERY_MS) save({ ...last, active: now })
        return last
      }
      const next = { id: newId(), started: now, active: now, sampled: Math.random() < sampleRate }
      save(next)
      onChange(next, last)
      return next
    },
    find: (now) => {
      const last = load()
      return last && isAlive(last, now) ? last : undefined
    },
  }
}

/** A clock that was set back must not keep a session alive for ever. */
const isAlive = ({ started, active }: Session, now: number): boolean =>
  Math.abs(now - active) < IDLE_MS && now - started < LONGEST_MS

/** Anybody on the page can write into the storage. */
const isSession = ({ id, started, active }: Session): boolean =>
  typeof id === 'string' && started <= active && Number.isSafeInteger(active)
