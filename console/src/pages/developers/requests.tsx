import type { LoggedRequest, RequestPage } from '../../../../src/modules/requests/schema.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { usePages } from '../../api/read.ts'
import { Icon } from '../../components/icon.tsx'
import {
  Badge,
  Button,
  CheckField,
  durationText,
  ListPage,
  numberText,
  Time,
  type Tone,
} from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useScope } from '../../shell/organization.ts'

const NO_FILTERS = { status: '', method: '', path: '', key_id: '' }
const STATUSES = [
  { value: '', label: 'Any' },
  { value: '2xx', label: '2xx, success' },
  { value: '4xx', label: '4xx, rejected' },
  { value: '5xx', label: '5xx, failed' },
]
const METHODS = [{ value: '', label: 'Any' }, 'GET', 'POST', 'PATCH', 'PUT', 'DELETE']
const REFRESH_MS = 2000

export default function Requests() {
  const scope = useScope()
  const view = useFilters(NO_FILTERS)
  const [{ live }, setLive] = useFilters({ live: '' })
  const [filters, setFilters] = view
  const isLive = live === 'on'
  const pages = usePages<RequestPage>(
    '/console/api/requests',
    { ...scope, ...filters },
    { keep_previous: true, refresh_ms: isLive ? REFRESH_MS : false },
  )
  const list = rowsOfPages(pages, ({ requests }) => requests)
  const dropped = pages.data?.pages.reduce((sum, page) => sum + page.left_out, 0) ?? 0
  return (
    <ListPage
      title="Requests"
      lead="API requests of the last 24 hours, newest first. Bodies and query strings are never stored."
      list={list}
      what="requests"
      columns={list.data?.some(({ left_out }) => left_out > 0) ? [...COLUMNS, DROPPED] : COLUMNS}
      keyOf={({ id }) => id}
      view={view}
      filters={[
        { name: 'status', label: 'Status', options: STATUSES },
        { name: 'method', label: 'Method', options: METHODS },
        { name: 'path', label: 'Path begins with', type: 'search', placeholder: '/v1/' },
      ]}
      toolbar={
        <>
          {filters.key_id !== '' && (
            <Button onClick={() => setFilters({ key_id: '' })}>
              One key only <Icon sign="close" />
              <span class="visually-hidden"> Show all keys</span>
            </Button>
          )}
          <Button busy={pages.isRefetching && !isLive} onClick={() => void pages.refetch()}>
            Refresh
          </Button>
          <CheckField
            label="Live"
            checked={isLive}
            onChange={(checked) => setLive({ live: checked ? 'on' : '' })}
          />
        </>
      }
      emptyTitle={`No requests with ${scope.mode} keys in the last 24 hours`}
      empty={
        <p>
          <PageLink to="/developers/keys">Create an API key</PageLink> and send a request. It
          appears here within seconds. Requests with an invalid key are not listed.
        </p>
      }
    >
      {dropped > 0 && (
        <p class="muted">
          {numberText(dropped)} more requests were not stored: the log keeps a limited number per
          second, and prefers rejected requests.
        </p>
      )}
    </ListPage>
  )
}

const COLUMNS: readonly Column<LoggedRequest>[] = [
  { label: 'Time', cell: ({ at }) => <Time at={at} as="exact" /> },
  { label: 'Status', cell: ({ status }) => <Badge tone={toneOf(status)}>{status}</Badge> },
  { label: 'Method', cell: ({ method }) => <code>{method}</code> },
  {
    label: 'Path',
    isWide: true,
    cell: ({ path, route }) => (
      <>
        <code>{path}</code>
        {route !== path && <div class="muted">{route}</div>}
      </>
    ),
  },
  { label: 'Duration', isNumber: true, cell: ({ duration_ms }) => durationText(duration_ms) },
  { label: 'Sender', cell: (request) => <Sender request={request} /> },
]
const DROPPED: Column<LoggedRequest> = {
  label: 'Not stored',
  isNumber: true,
  cell: ({ left_out }) => (left_out > 0 ? `+${numberText(left_out)}` : null),
}

function Sender({ request: { key_hint, key_id, user_email } }: { request: LoggedRequest }) {
  if (key_hint === null || key_id === null) return <>{user_email ?? '–'}</>
  return (
    <PageLink to="/developers/requests" query={{ key_id }}>
      <code>{key_hint}</code>
    </PageLink>
  )
}

function toneOf(status: number): Tone {
  if (status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}
