/** Which page an address means. */
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ComponentChildren } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { useEffect, useMemo } from 'preact/hooks'
import { Redirect, Route, Router, Switch } from 'wouter'
import { ApiError } from './api/client.ts'
import { Failed, Waiting } from './components/states.tsx'
import { Toasts } from './components/toasts.tsx'
import { SessionContext, useSession, useSessionState, useSessionUser } from './session/context.ts'
import type { Session } from './session/session.ts'
import { SignIn } from './session/sign-in.tsx'
import { ChooseOrganization, OrganizationPages } from './shell/desk.tsx'

const Invitation = lazy(() => import('./session/invitation.tsx'))
const FRESH_MS = 10_000
const RETRIES_MAX = 2

/** What may get better by asking again. */
const isPassing = ({ status }: ApiError): boolean => status === 0 || status >= 500

export function App({ session }: { session: Session }) {
  const client = useMemo(createClient, [])
  return (
    <SessionContext.Provider value={session}>
      <QueryClientProvider client={client}>
        <Toasts>
          <Router base="/console">
            <Switch>
              <Route path="/sign-in">
                <SignIn />
              </Route>
              <Route path="/invitation">
                <Suspense fallback={<Waiting for="the invitation" />}>
                  <Invitation />
                </Suspense>
              </Route>
              <Route>
                <SignedIn />
              </Route>
            </Switch>
          </Router>
        </Toasts>
      </QueryClientProvider>
    </SessionContext.Provider>
  )
}

function SignedIn() {
  const session = useSession()
  const state = useSessionState()
  const user = useSessionUser()
  useEffect(() => {
    if (state === 'unknown') void session.resume()
  }, [state])

  if (state === 'unknown') return <Waiting for="your session" />
  if (state === 'away') {
    const error = new ApiError('The service does not answer.', { status: 0 })
    return <Failed error={error} onRetry={() => void session.resume()} />
  }
  if (state === 'signed_out') return <Redirect to={`/sign-in?next=${encodeURIComponent(here())}`} />
  return (
    <OwnAnswers key={user}>
      <Switch>
        <Route path="/o/:org" nest>
          {({ org }: { org: string }) => <OrganizationPages orgId={org} />}
        </Route>
        <Route>
          <ChooseOrganization />
        </Route>
      </Switch>
    </OwnAnswers>
  )
}

/** What one user has seen is not left for the next, who may have signed in in another tab. */
function OwnAnswers({ children }: { children: ComponentChildren }) {
  const client = useMemo(createClient, [])
  useEffect(() => () => client.clear(), [])
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>
}

const createClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: FRESH_MS,
        retry: (failures, error) =>
          failures < RETRIES_MAX && isPassing(error as unknown as ApiError),
      },
    },
  })

/** Below the base of the router, with query and fragment. */
function here(): string {
  const { pathname, search, hash } = window.location
  return pathname.replace(/^\/console/, '') + search + hash
}
