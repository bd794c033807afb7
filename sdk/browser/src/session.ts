/**
 * Sessions: the visit of one browser across all its tabs. A session ends after 15 minutes without
 * activity or 4 hours after its start, and is recorded completely or not at all.
 */
import type { Store } from './storage.ts'

export type Session = { id: string; started: number; active: number; sampled: boolean }

export const IDLE_MS = 15 * 60_000
export const LONGEST_MS = 4 * 3_600_000
/** Avoids a write to the storage at each scroll event. */
const WRITE_EVERY_MS = 1_000

const NAME = 'session'

export type Sessions = {
  /** Extends the current session, or starts a new one when it is over. */
  extend: (now: number) => Session
  /** Returns the current session unless it is over. */
  find: (now: number) => Session | undefined
}

/** `onChange` is called when a session starts, with the session that it follows. */
export function createSessions(
  store: Store,
  sampleRate: number,
  newId: () => string,
  onChange: (started: Session, ended: Session | undefined) => void,
): Sessions {
  let current: Session | undefined
  // Another tab may have extended or replaced the session.
  const load = (): Session | undefined => {
    const stored = store.read<Session>(NAME)
    return stored && isSession(stored) ? stored : current
  }
  const save = (session: Session): void => {
    current = session
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

/** A clock that was set back must not extend a session indefinitely. */
const isAlive = ({ started, active }: Session, now: number): boolean =>
  Math.abs(now - active) < IDLE_MS && now - started < LONGEST_MS

/** Validates the stored value, because any script of the page can write to the storage. */
const isSession = ({ id, started, active }: Session): boolean =>
  typeof id === 'string' && started <= active && Number.isSafeInteger(active)
