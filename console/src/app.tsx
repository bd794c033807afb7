import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import type { ComponentChildren } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { useEffect, useMemo } from 'preact/hooks'
import { Redirect, Route, Router, Switch } from 'wouter'
import { ApiError } from './api/client.ts'
import { Failed, Loading } from './components/states.tsx'
import { Toasts } from './components/toasts.tsx'
import { SessionContext, useSession, useSessionState, useSessionUser } from './session/context.ts'
import { OrganizationSignIn, ProviderReturn } from './session/provider.tsx'
import type { Session } from './session/session.ts'
import { SignIn } from './session/sign-in.tsx'
import { StepUp } from './session/step-up.tsx'
import { ChooseOrganization, OrganizationPages } from './shell/layout.tsx'

const Reset = lazy(() => import('./session/reset.tsx'))
const EmailLink = lazy(() => import('./session/email-link.tsx'))
const DeviceSignIn = lazy(() => import('./session/device-sign-in.tsx'))
const PortalPage = lazy(() => import('./portal/portal.tsx'))
const Invitation = lazy(() => import('./session/invitation.tsx'))
const STALE_MS = 10_000
const RETRIES_MAX = 2

/** Errors that a retry may fix. */
const isTransient = ({ status }: ApiError): boolean => status === 0 || status >= 500

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
              <Route path="/sso/callback/:org?">
                <ProviderReturn />
              </Route>
              <Route path="/sso/:org?">
                <OrganizationSignIn />
              </Route>
              <Route path="/invitation">
                <Suspense fallback={<Loading what="the invitation" />}>
                  <Invitation />
                </Suspense>
              </Route>
              <Route path="/portal/:link/*?">
                {({ link }: { link: string }) => (
                  <Suspense fallback={<Loading what="the page" />}>
                    <PortalPage link={link} />
                  </Suspense>
                )}
              </Route>
              <Route path="/reset">
                <Suspense fallback={<Loading what="the page" />}>
                  <Reset />
                </Suspense>
              </Route>
              <Route path="/email">
                <Suspense fallback={<Loading what="the page" />}>
                  <EmailLink />
                </Suspense>
              </Route>
              <Route>
                <SignedIn />
              </Route>
            </Switch>
          </Router>
          <StepUp />
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

  if (state === 'unknown') return <Loading what="your session" />
  if (state === 'unreachable') {
    const error = new ApiError('The service is not responding.', { status: 0 })
    return <Failed error={error} onRetry={() => void session.resume()} />
  }
  if (state === 'signed_out')
    return <Redirect to={`/sign-in?next=${encodeURIComponent(currentPath())}`} />
  return (
    <UserQueries key={user}>
      <Switch>
        <Route path="/o/:org" nest>
          {({ org }: { org: string }) => <OrganizationPages orgId={org} />}
        </Route>
        <Route path="/device">
          <Suspense fallback={<Loading what="the page" />}>
            <DeviceSignIn />
          </Suspense>
        </Route>
        <Route>
          <ChooseOrganization />
        </Route>
      </Switch>
    </UserQueries>
  )
}

/** Drops cached data when the user changes, which can also happen in another tab. */
function UserQueries({ children }: { children: ComponentChildren }) {
  const client = useMemo(createClient, [])
  useEffect(() => () => client.clear(), [])
  return <QueryClientProvider client={client}>{children}</QueryClientProvider>
}

const createClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: STALE_MS,
        retry: (failures, error) =>
          failures < RETRIES_MAX && isTransient(error as unknown as ApiError),
      },
    },
  })

/** The current path below the router's base, with query and fragment. */
function currentPath(): string {
  const { pathname, search, hash } = window.location
  return pathname.replace(/^\/console/, '') + search + hash
}
