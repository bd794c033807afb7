/** What is around the pages of an organisation: menu, head, and the page that the address means. */

import type { ComponentType } from 'preact'
import { lazy, Suspense } from 'preact/compat'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { Redirect, Route, Switch, useLocation } from 'wouter'
import { useRead } from '../api/read.ts'
import { Empty, Shown, Waiting } from '../components/states.tsx'
import { AREAS, type ConsolePage } from '../pages.ts'
import { PageBoundary } from './boundary.tsx'
import { Head } from './head.tsx'
import { keep, readKept } from './kept.ts'
import { Menu } from './menu.tsx'
import { DeskContext, type Me, type OwnOrganization } from './organization.ts'
import { useTitle } from './title.ts'

const ME = '/console/api/me'
const LAST_ORGANIZATION = 'vigil:organization'

/** The one of the last visit, else the first. */
export function ChooseOrganization() {
  const me = useRead<Me>(ME)
  return (
    <Shown read={me} what="your organisations">
      {({ organizations }) => {
        const last = readKept(LAST_ORGANIZATION)
        const chosen = organizations.find(({ id }) => id === last) ?? organizations[0]
        return chosen ? (
          <Redirect to={`/o/${chosen.id}`} replace />
        ) : (
          <Empty title="You belong to no organisation">
            <p>Ask an administrator for an invitation, and open its link.</p>
          </Empty>
        )
      }}
    </Shown>
  )
}

export function OrganizationPages({ orgId }: { orgId: string }) {
  const me = useRead<Me>(ME)
  return (
    <Shown read={me} what="your organisations">
      {(known) => {
        const organization = known.organizations.find(({ id }) => id === orgId)
        return organization ? (
          <Desk me={known} organization={organization} />
        ) : (
          <NotHere>This organisation does not exist, or you do not belong to it.</NotHere>
        )
      }}
    </Shown>
  )
}

function Desk({ me, organization }: { me: Me; organization: OwnOrganization }) {
  const [isMenuOpen, setMenuOpen] = useState(false)
  const [path] = useLocation()
  const desk = useMemo(() => ({ me, organization }), [me, organization])
  useEffect(() => keep(LAST_ORGANIZATION, organization.id), [organization.id])
  useEffect(() => {
    // The link that was followed is hidden with the menu, and cannot keep the focus.
    if (isMenuOpen) document.getElementById('content')?.focus({ preventScroll: true })
    setMenuOpen(false)
    window.scrollTo(0, 0)
  }, [path])
  return (
    <DeskContext.Provider value={desk}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="desk" data-menu={isMenuOpen ? 'open' : 'closed'}>
        <Menu isOpen={isMenuOpen} onClose={() => setMenuOpen(false)} />
        <div class="desk-body">
          <Head isMenuOpen={isMenuOpen} onMenu={() => setMenuOpen((isOpen) => !isOpen)} />
          {/* Another organisation is another desk: nothing of the one before stays. */}
          <main id="content" key={organization.id} tabIndex={-1}>
            <PageBoundary path={path}>
              <Suspense fallback={<Waiting for="the page" />}>
                <Pages />
              </Suspense>
            </PageBoundary>
          </main>
        </div>
      </div>
    </DeskContext.Provider>
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
        <NotHere>There is no such page. The menu has all there are.</NotHere>
      </Route>
    </Switch>
  )
}

function NotHere({ children }: { children: string }) {
  useTitle('Not found')
  return (
    <Empty title="Not found">
      <p>{children}</p>
      <a href="/console">To the start</a>
    </Empty>
  )
}

type PageRoute = { path: string; Content: ComponentType }

/** Loaded when they are opened. */
const ROUTES: readonly PageRoute[] = AREAS.flatMap(({ pages }) =>
  pages.map(({ path, load }: ConsolePage) => ({ path, Content: lazy(load) as ComponentType })),
)
