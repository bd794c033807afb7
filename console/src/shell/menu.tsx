import { useLocation } from 'wouter'
import { AREAS } from '../pages.ts'
import { Brand } from './brand.tsx'
import { PageLink } from './links.tsx'
import { useFiring } from './title.ts'

/** Covers the page in narrow windows while it is open. */
export function Menu({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [path] = useLocation()
  const firing = useFiring()
  return (
    <>
      <nav
        id="menu"
        class="menu"
        aria-label="Main"
        data-open={isOpen}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || !isOpen) return
          onClose()
          document.querySelector<HTMLElement>('[aria-controls=menu]')?.focus()
        }}
      >
        <PageLink to="/" class="menu-brand" aria-label="Vigil, home">
          <Brand />
        </PageLink>
        {AREAS.map(({ name, pages }) => {
          const shown = pages.filter(({ menu }) => menu !== undefined)
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
                      {page.menu}
                      {page.path === '/notifications' && firing > 0 && (
                        <span class="menu-count">
                          {firing}
                          <span class="visually-hidden"> not acknowledged</span>
                        </span>
                      )}
                    </PageLink>
                  </li>
                ))}
              </ul>
            </div>
          )
        })}
      </nav>
      {isOpen && <div class="menu-backdrop" onClick={onClose} aria-hidden="true" />}
    </>
  )
}

const isWithin = (path: string, page: string): boolean =>
  page === '/' ? path === '/' : path === page || path.startsWith(`${page}/`)
