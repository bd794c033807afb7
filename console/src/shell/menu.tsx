import { useContext, useRef } from 'preact/hooks'
import { useLocation } from 'wouter'
import { useTabStop } from '../components/tab-stop.ts'
import { AREAS } from '../pages.ts'
import { Brand } from './brand.tsx'
import { OwnTools } from './head.tsx'
import { MenuIcon } from './icons.tsx'
import { PageLink } from './links.tsx'
import { useMedia, WITHOUT_MENU } from './media.ts'
import { BadgesContext, useFiring } from './title.ts'

type MenuProps = { isOpen: boolean; onClose: () => void; onZone: (isUtc: boolean) => void }

/** Covers the page in narrow windows while it is open. */
export function Menu({ isOpen, onClose, onZone }: MenuProps) {
  const [path] = useLocation()
  const isNarrow = useMedia(WITHOUT_MENU)
  const menu = useRef<HTMLElement>(null)
  const stop = useTabStop(() => [
    ...(menu.current?.querySelectorAll<HTMLElement>('.menu-area a') ?? []),
  ])
  const counts = { ...useContext(BadgesContext), firing: useFiring() }
  return (
    <>
      <nav
        id="menu"
        class="menu"
        aria-label="Main"
        data-open={isOpen}
        ref={menu}
        onFocusIn={stop.onFocusIn}
        onKeyDown={(event) => {
          stop.onKeyDown(event)
          if (event.key !== 'Escape' || !isOpen) return
          onClose()
          document.querySelector<HTMLElement>('[aria-controls=menu]')?.focus()
        }}
      >
        <PageLink to="/" class="menu-brand" aria-label="Vigil, home">
          <Brand />
        </PageLink>
        {AREAS.map(({ name, pages }) => {
          const shown = pages.filter((page) => page.menu !== undefined)
          return shown.length === 0 ? null : (
            <div key={name} class="menu-area">
              <h2>{name}</h2>
              <ul>
                {shown.map((page) => (
                  <li key={page.path}>
                    <PageLink
                      to={page.path}
                      aria-current={isWithin(path, page.path) ? 'page' : undefined}
                    >
                      <MenuIcon path={page.path} />
                      {page.menu}
                      <Count {...countOf(page.path, counts)} />
                    </PageLink>
                  </li>
                ))}
              </ul>
            </div>
          )
        })}
        {isNarrow && (
          <div class="menu-tools">
            <OwnTools onZone={onZone} />
          </div>
        )}
      </nav>
      {isOpen && <div class="menu-backdrop" onClick={onClose} aria-hidden="true" />}
    </>
  )
}

const isWithin = (path: string, page: string): boolean =>
  page === '/' ? path === '/' : path === page || path.startsWith(`${page}/`)

type Counts = { cases: number; alerts: number; endpoints: number; firing: number }
type CountProps = { count: number; what: string }

const COUNT_MAX = 999
const NONE: CountProps = { count: 0, what: '' }

function Count({ count, what }: CountProps) {
  if (count === 0) return null
  return (
    <span class="menu-count">
      {count > COUNT_MAX ? `${COUNT_MAX}+` : count}
      <span class="visually-hidden"> {what}</span>
    </span>
  )
}

function countOf(path: string, { cases, alerts, endpoints, firing }: Counts): CountProps {
  if (path === '/cases') return { count: cases, what: 'open' }
  if (path === '/logs') return { count: alerts, what: 'firing' }
  if (path === '/webhooks') return { count: endpoints, what: 'failing' }
  return path === '/notifications' ? { count: firing, what: 'not acknowledged' } : NONE
}
