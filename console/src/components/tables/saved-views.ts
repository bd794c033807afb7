/** Views of a list that a person saved in this browser: its page with filters, under a name. */
import { useContext, useState } from 'preact/hooks'
import { useLocation, useSearch } from 'wouter'
import { readStored, store } from '../../shell/browser-storage.ts'
import { OrganizationContext } from '../../shell/organization.ts'

export type SavedView = { name: string; query: Record<string, string> }

const VIEWS_MAX = 50

export function useSavedViews() {
  const [path] = useLocation()
  const search = useSearch()
  const current = useContext(OrganizationContext)
  const key = `vigil:views:${current?.me.user_id ?? ''}:${current?.organization.id ?? ''}:${path}`
  const [views, setViews] = useState(() => readViews(key))
  const write = (next: readonly SavedView[]) => {
    store(key, next.length === 0 ? null : JSON.stringify(next))
    setViews([...next])
  }
  const { mode: _mode, ...query } = Object.fromEntries(new URLSearchParams(search))
  return {
    path,
    views,
    save: (name: string) =>
      write([{ name, query }, ...views.filter((view) => view.name !== name)].slice(0, VIEWS_MAX)),
    remove: (name: string) => write(views.filter((view) => view.name !== name)),
  }
}

function readViews(key: string): SavedView[] {
  try {
    const stored: unknown = JSON.parse(readStored(key) ?? '[]')
    return Array.isArray(stored) ? stored.filter(isView) : []
  } catch {
    return []
  }
}

const isView = (value: unknown): value is SavedView =>
  typeof value === 'object' &&
  value !== null &&
  'name' in value &&
  typeof value.name === 'string' &&
  'query' in value &&
  typeof value.query === 'object'
