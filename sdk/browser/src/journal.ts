/** Makes events of what happened: session, page, time, limits and what the page's own filter says. */
import { createRateLimit } from './limits.ts'
import { createSessions, type Session } from './session.ts'
import type { Store } from './storage.ts'
import type { RumEvent, RumOptions, RumView } from './types.ts'

type Type = RumEvent['type']
type Facts = Omit<RumEvent, 'type' | 'timestamp'>
/** Where something belongs that is told later. */
export type Place = { session: Session; view: RumView }

export type Journal = {
  /** What somebody did: prolongs the session, or begins one, in which the page is seen anew. */
  record: (type: Type, facts: Facts) => void
  /** What a page did by itself, `startTime` ms after its load began: prolongs nothing. */
  join: (type: Type, facts: Facts, startTime: number) => void
  /** What belongs to an earlier place, whatever the session is now. */
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
    const kept = beforeSend ? beforeSend(event) : event
    if (kept) push(session.id, JSON.stringify(kept))
  }
  const sessions = createSessions(store, options.sample_rate ?? 1, newId, (begun, ended) => {
    if (ended) put(ended, 'session_end', {}, ended.active)
    put(begun, 'session_start', {})
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

/** `randomUUID` is only there on pages that came over TLS. */
export const newId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')
