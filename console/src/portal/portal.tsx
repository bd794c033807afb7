/** The page of a customer portal: the pages about webhooks for the endpoints of one portal, without the menu. */
import type { ComponentType } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { useMemo } from 'preact/hooks'
import { type BaseLocationHook, Redirect, Route, Router, Switch, useLocation } from 'wouter'
import { useBrowserLocation } from 'wouter/use-browser-location'
import type { OpenPortal } from '../../../src/modules/portals/schema.ts'
import type { Answer } from '../api/client.ts'
import { useRead } from '../api/read.ts'
import { Empty, Failed, Loading } from '../components/states.tsx'
import { Time } from '../components/time.tsx'
import { webhooksPages } from '../pages/webhooks/pages.ts'
import { PortalContext } from '../pages/webhooks/scope.ts'
import { SessionContext } from '../session/context.ts'
import { useArrivals } from '../shell/arrival.ts'
import { PageBoundary } from '../shell/boundary.tsx'
import { type Me, OrganizationContext, type OwnOrganization } from '../shell/organization.ts'
import { useTitle } from '../shell/title.ts'
import styles from './portal.module.css'
import { createPortalSession } from './session.ts'

export default function PortalPage({ link }: { link: string }) {
  const token = window.location.hash.slice(1)
  const session = useMemo(() => createPortalSession(token), [token])
  return (
    <SessionContext.Provider value={session}>
      <Router base={`/console/portal/${link}`} hook={useLocationWithToken}>
        {token === '' ? <Over /> : <Opening />}
      </Router>
    </SessionContext.Provider>
  )
}

/** Keeps the fragment, so that a page of the portal can be loaded again. */
const useLocationWithToken: BaseLocationHook & { hrefs?: (href: string) => string } = () => {
  const [path, navigate] = useBrowserLocation()
  return [
    path,
    (to: string, how?: { replace?: boolean }) => navigate(to + window.location.hash, how),
  ]
}
useLocationWithToken.hrefs = (href) => href + window.location.hash

function Opening() {
  const read = useRead<Answer<OpenPortal>>('/console/api/portal')
  if (read.error?.status === 401) return <Over />
  if (read.error) {
    return (
      <main class="entrance">
        <Failed error={read.error} onRetry={() => void read.refetch()} />
      </main>
    )
  }
  return read.data ? <Opened portal={read.data} /> : <Loading what="the portal" />
}

function Over() {
  useTitle('Webhooks')
  return (
    <main class="entrance">
      <h1>Webhooks</h1>
      <Empty title="This link is no longer valid">
        <p>It has expired or was ended, or is incomplete. Open the page that it is from again.</p>
      </Empty>
    </main>
  )
}

/** Organization for the pages, which use only its id and name. The service finds it by the link. */
function contextOf({ id, name }: Answer<OpenPortal>) {
  const organization: OwnOrganization = {
    id,
    name,
    plan: 'starter',
    role: 'member',
    requires_second_factor: false,
    required_provider: null,
    requires_single_sign_on: false,
  }
  const me: Me = {
    user_id: 'portal',
    email: '',
    has_second_factor: false,
    by_provider: false,
    organizations: [organization],
  }
  return { me, organization }
}

function Opened({ portal }: { portal: Answer<OpenPortal> }) {
  const [path] = useLocation()
  const context = useMemo(() => contextOf(portal), [portal.id])
  useArrivals(path)
  return (
    <OrganizationContext.Provider value={context}>
      <PortalContext.Provider value={portal}>
        <header class={styles['head']}>
          <strong>{portal.name}</strong>
          <span class="muted">
            This link works until <Time at={portal.expires_at} />
          </span>
        </header>
        <main id="content" class={styles['content']} tabIndex={-1}>
          <PageBoundary path={path}>
            <Suspense fallback={<Loading what="the page" />}>
              <Switch>
                {ROUTES.map(({ path: at, Content }) => (
                  <Route key={at} path={at}>
                    <Content />
                  </Route>
                ))}
                <Route>
                  <Redirect to="/webhooks" replace />
                </Route>
              </Switch>
            </Suspense>
          </PageBoundary>
        </main>
      </PortalContext.Provider>
    </OrganizationContext.Provider>
  )
}

type PageRoute = { path: string; Content: ComponentType }

const ROUTES: readonly PageRoute[] = webhooksPages
  .filter(({ path }) => !path.startsWith('/webhooks/portals'))
  .map(({ path, load }) => ({ path, Content: lazy(load) as ComponentType }))
