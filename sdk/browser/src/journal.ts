/** Creates events: adds session, view and time, and applies the limits and the filter of the page. */
import { createRateLimit } from './limits.ts'
import { createSessions, type Session } from './session.ts'
import type { Store } from './storage.ts'
import type { RumEvent, RumOptions, RumView } from './types.ts'

type Type = RumEvent['type']
type Facts = Omit<RumEvent, 'type' | 'timestamp'>
/** Session and view of an event that is recorded later. */
export type Place = { session: Session; view: RumView }

export type Journal = {
  /** Records an event that extends the session, or starts a new one with a view of the page. */
  record: (type: Type, facts: Facts) => void
  /**
   * Records an event of the page itself, which does not extend the session.
   * @param startTime milliseconds since the start of the page load
   */
  join: (type: Type, facts: Facts, startTime: number) => void
  /** Records an event in an earlier place, independent of the current session. */
  recordAt: (place: Place, type: Type, facts: Facts) => void
  prolong: (isView?: boolean) => Session
}

export function createJournal(
  options: RumOptions,
  store: Store,
  view: () => RumView,
  push: (sessionId: string, event: string) => void,
): Journal {
  const { app_version, environment, beforeSend } = options
  const isAllowed = createRateLimit()
  const put = (session: Session | undefined, type: Type, facts: Facts, at?: number): void => {
    const now = Date.now()
    if (!session?.sampled || !isAllowed(type, now)) return
    const event: RumEvent = {
      type,
      timestamp: new Date(at ?? now).toISOString(),
      ...facts,
      ...(app_version ? { app_version } : {}),
      ...(environment ? { environment } : {}),
    }
    const filtered = beforeSend ? beforeSend(event) : event
    if (filtered) push(session.id, JSON.stringify(filtered))
  }
  const sessions = createSessions(store, options.sample_rate ?? 1, newId, (started, ended) => {
    if (ended) put(ended, 'session_end', {}, ended.active)
    put(started, 'session_start', {})
  })
  const prolong = (isView = false): Session => {
    const known = sessions.find(Date.now())
    const session = sessions.extend(Date.now())
    if (!known && !isView) put(session, 'view', { view: view() })
    return session
  }
  return {
    record: (type, facts) => put(prolong(type === 'view'), type, { view: view(), ...facts }),
    join: (type, facts, startTime) =>
      put(
        sessions.find(Date.now()),
        type,
        { view: view(), ...facts },
        performance.timeOrigin + startTime,
      ),
    recordAt: (place, type, facts) => put(place.session, type, { view: place.view, ...facts }),
    prolong,
  }
}

/** Does not use `randomUUID`, which is available only on pages that were loaded over TLS. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
