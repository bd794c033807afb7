/** Tabs are links, so that each part has an address of its own. */
import { useLocation } from 'wouter'
import { PageLink } from '../shell/links.tsx'

export type Tab = { to: string; label: string; count?: number | undefined }

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  const [path] = useLocation()
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ to, label: text, count }) => (
        <PageLink key={to} to={to} aria-current={path === to ? 'page' : undefined}>
          {text}
          {count !== undefined && <span class="tab-count">{count}</span>}
        </PageLink>
      ))}
    </nav>
  )
}
