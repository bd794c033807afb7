/** The session, for all that is drawn inside of it. */
import { createContext } from 'preact'
import { useContext, useEffect, useState } from 'preact/hooks'
import type { Session, SessionState } from './session.ts'

export const SessionContext = createContext<Session | undefined>(undefined)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('There is no session around this')
  return session
}

export function useSessionState(): SessionState {
  const session = useSession()
  const [state, setState] = useState(session.state)
  useEffect(() => {
    setState(session.state())
    return session.subscribe(() => setState(session.state()))
  }, [session])
  return state
}
