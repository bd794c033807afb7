import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'preact/hooks'
import type { SearchKind, SearchResult } from '../../../../src/modules/search/schema.ts'
import type { ApiError } from '../../api/client.ts'
import { useSession } from '../../session/context.ts'
import { useMe, useScope } from '../organization.ts'
import { type Entry, entriesFor, logsEntry, withoutKey } from './entries.ts'
import { recentEntries } from './recent.ts'

export type Group = { name: string; entries: Entry[] }

const PAUSE_MS = 120
const TEXT_MIN_CHARS = 2
const TEXT_MAX_CHARS = 200

const NAMES: Readonly<Record<SearchKind, string>> = {
  orders: 'Orders',
  profiles: 'Profiles',
  checks: 'Checks',
  cashiers: 'Cashiers',
  cashier_actions: 'Cashier actions',
  edge_devices: 'Edge devices',
  managed_devices: 'Managed devices',
  groups_and_policies: 'Device groups and policies',
  endpoints: 'Webhook endpoints',
  deliveries: 'Deliveries',
  applications: 'Push applications',
  members: 'Members',
  keys: 'API keys',
  logs: 'Log entries',
}

export type Search = {
  groups: Group[]
  isSearching: boolean
  error: ApiError | null
  /** Names of what was not searched to the end. */
  incomplete: string[]
}

export function useSearchFor(typed: string): Search {
  const session = useSession()
  const scope = useScope()
  const { user_id } = useMe()
  const text = withoutKey(typed.trim()).slice(0, TEXT_MAX_CHARS)
  const settled = useSettled(text)
  const enabled = settled.length >= TEXT_MIN_CHARS
  const query = useQuery<SearchResult, ApiError>({
    queryKey: ['/console/api/search', { ...scope, text: settled }],
    queryFn: ({ signal }) =>
      session.call<SearchResult>({
        method: 'POST',
        path: '/console/api/search',
        body: { ...scope, text: settled },
        signal,
      }),
    enabled,
    placeholderData: keepPreviousData,
  })
  if (text === '') {
    const entries = recentEntries({ user_id, ...scope })
    return { ...NOTHING, groups: groupOf('Recent', entries) }
  }
  const isSearching = text.length >= TEXT_MIN_CHARS && (text !== settled || query.isFetching)
  // Hits for an earlier text would be opened by a quick Enter.
  const result = isSearching || !enabled ? undefined : query.data
  return {
    groups: [
      ...(result?.groups ?? []).map(({ kind, hits }) => ({ name: NAMES[kind], entries: hits })),
      ...groupOf('Pages and actions', entriesFor(text)),
      ...groupOf('Logs', text.length >= TEXT_MIN_CHARS ? [logsEntry(text)] : []),
    ],
    isSearching,
    error: query.error,
    incomplete: (result?.incomplete ?? []).map((kind) => NAMES[kind]),
  }
}

const NOTHING: Search = { groups: [], isSearching: false, error: null, incomplete: [] }

const groupOf = (name: string, entries: Entry[]): Group[] =>
  entries.length === 0 ? [] : [{ name, entries }]

/** The text, once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return settled
}
