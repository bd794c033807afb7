import type { ComponentType } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import type { Badges } from '../../../src/modules/attention/schema.ts'
import type { Firing } from '../../../src/modules/notifications/schema.ts'
import { useRead } from '../api/read.ts'
import { Empty, Loaded, Loading } from '../components/states.tsx'
import { chooseUtc, zoneName } from '../components/zone.ts'
import type { ConsolePage } from '../console-page.ts'
import { AREAS } from '../pages.ts'
import { useArrivals } from './arrival.ts'
import { PageBoundary } from './boundary.tsx'
import { readStored, store } from './browser-storage.ts'
import { Head } from './head.tsx'
import { Menu } from './menu.tsx'
import { type Me, OrganizationContext, type OwnOrganization, useMode } from './organization.ts'
import { useScrollPlaces } from './scroll-places.ts'
import { BadgesContext, FiringContext, useTitle } from './title.ts'

const RequiredProvider = lazy(() => import('./required-provider.tsx'))
const RequiredFactor = lazy(() => import('./required-factor.tsx'))
const ME = '/console/api/me'
const FIRING = '/console/api/notifications/firing'
const BADGES = '/console/api/badges'
const FIRING_REFRESH_MS = 30_000
const NO_BADGES: Badges = { cases: 0, alerts: 0, endpoints: 0 }
const LAST_ORGANIZATION = 'vigil:organization'

/** Redirects to the organization of the last visit, otherwise to the first one. */
export function ChooseOrganization() {
  const me = useRead<Me>(ME)
  return (
    <Loaded read={me} what="your organizations">
      {({ organizations }) => {
        const last = readStored(LAST_ORGANIZATION)
        const chosen = organizations.find(({ id }) => id === last) ?? organizations[0]
        return chosen ? (
          <Redirect to={`/o/${chosen.id}`} replace />
        ) : (
          <Empty title="You are not a member of any organization">
            <p>Ask an administrator for an invitation link.</p>
          </Empty>
        )
      }}
    </Loaded>
  )
}

export function OrganizationPages({ orgId }: { orgId: string }) {
  const me = useRead<Me>(ME)
  return (
    <Loaded read={me} what="your organizations">
      {(known) => {
        const organization = known.organizations.find(({ id }) => id === orgId)
        return organization ? (
          <Entrance key={organization.id} me={known} organization={organization} />
        ) : (
          <NotFound>This organization does not exist, or you are not a member of it.</NotFound>
        )
      }}
    </Loaded>
  )
}

/** The state keeps the recovery codes visible when the organization could already be shown. */
function Entrance({ me, organization }: { me: Me; organization: OwnOrganization }) {
  const isRequired = organization.requires_second_factor && !me.has_second_factor && !me.by_provider
  const [isSettingUp, setSettingUp] = useState(isRequired)
  useEffect(() => {
    if (isRequired) setSettingUp(true)
  }, [isRequired])
  if (organization.requires_single_sign_on) {
    return (
      <Suspense fallback={<Loading what="the page" />}>
        <RequiredProvider me={me} organization={organization} />
      </Suspense>
    )
  }
  if (!isSettingUp) return <Layout me={me} organization={organization} />
  return (
    <Suspense fallback={<Loading what="the page" />}>
      <RequiredFactor me={me} organization={organization} onSetUp={() => setSettingUp(false)} />
    </Suspense>
  )
}

function Layout({ me, organization }: { me: Me; organization: OwnOrganization }) {
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [path] = useLocation()
  const [zone, setZone] = useState(zoneName)
  const context = useMemo(() => ({ me, organization }), [me, organization])
  const firing = useRead<Firing>(
    FIRING,
    { org_id: organization.id },
    { refresh_ms: FIRING_REFRESH_MS },
  )
  const mode = useMode()
  const badges = useRead<Badges>(
    BADGES,
    { org_id: organization.id, mode },
    { refresh_ms: FIRING_REFRESH_MS },
  )
  const showZone = (isUtc: boolean) => {
    chooseUtc(isUtc)
    setZone(zoneName())
  }
  useArrivals(path)
  useScrollPlaces(path)
  useEffect(() => store(LAST_ORGANIZATION, organization.id), [organization.id])
  useEffect(() => {
    // The link that was followed disappears with the menu and cannot keep the focus.
    if (isMenuOpen) document.getElementById('content')?.focus({ preventScroll: true })
    setMenuOpen(false)
  }, [path])
  return (
    <OrganizationContext.Provider value={context}>
      <FiringContext.Provider value={firing.data?.unacknowledged ?? 0}>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <div class="layout" data-menu={isMenuOpen ? 'open' : 'closed'}>
          <BadgesContext.Provider value={badges.data ?? NO_BADGES}>
            <Menu isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} onZone={showZone} />
          </BadgesContext.Provider>
          <div class="layout-body">
            <Head
              isMenuOpen={isMenuOpen}
              onMenu={() => setMenuOpen((isOpen) => !isOpen)}
              onZone={showZone}
            />
            {/* The key resets all state when the organization changes, and shows all times in another zone. */}
            <main id="content" key={`${organization.id} ${zone}`} tabIndex={-1}>
              <PageBoundary path={path}>
                <Suspense fallback={<Loading what="the page" />}>
                  <Pages />
                </Suspense>
              </PageBoundary>
            </main>
          </div>
        </div>
      </FiringContext.Provider>
    </OrganizationContext.Provider>
  )
}

function Pages() {
  return (
    <Switch>
      {ROUTES.map(({ path, Content }) => (
        <Route key={path} path={path}>
          <Content />
        </Route>
      ))}
      <Route>
        <NotFound>This page does not exist. Use the menu to find what you need.</NotFound>
      </Route>
    </Switch>
  )
}

function NotFound({ children }: { children: string }) {
  useTitle('Not found')
  return (
    <Empty title="Not found">
      <p>{children}</p>
      <a href="/console">Go to Home</a>
    </Empty>
  )
}

type PageRoute = { path: string; Content: ComponentType }

/** Each page is loaded when it is first opened. */
const ROUTES: readonly PageRoute[] = AREAS.flatMap(({ pages }) =>
  pages.map(({ path, load }: ConsolePage) => ({ path, Content: lazy(load) as ComponentType })),
)
