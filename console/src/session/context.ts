import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { Session, SessionState } from './session.ts'

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('useSession needs a SessionContext')
  return session
}

export const useSessionState = (): SessionState => useOfSession((session) => session.state())

/** @returns id of the signed-in user, who can change while the page stays open */
export const useSessionUser = (): string | undefined => useOfSession((session) => session.user())

function useOfSession<T extends string | undefined>(read: (session: Session) => T): T {
  const session = useSession()
  const [value, setValue] = useState(() => read(session))
  useEffect(() => {
    setValue(() => read(session))
    return session.subscribe(() => setValue(() => read(session)))
  }, [session])
  return value
}
