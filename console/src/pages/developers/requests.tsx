/** The request log of the last day: what arrived, and what was answered. */
import type { LoggedRequest, RequestPage } from '../../../../src/modules/requests/schema.ts'
import { usePages } from '../../api/read.ts'
import {
  Badge,
  Button,
  CheckField,
  durationText,
  Empty,
  Failed,
  FilterField,
  numberText,
  Page,
  Section,
  SelectField,
  Table,
  Time,
  type Tone,
  Toolbar,
  Waiting,
} from '../../components/index.ts'
import { Walked } from '../../components/walked.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import styles from './developers.module.css'

const FILTERS = { status: '', method: '', path: '', key_id: '', live: '' }
const STATUSES = [
  { value: '', label: 'Any' },
  { value: '2xx', label: '2xx, done' },
  { value: '4xx', label: '4xx, refused' },
  { value: '5xx', label: '5xx, failed' },
] as const
const METHODS = [{ value: '', label: 'Any' }, 'GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const
const REFRESH_MS = 2000

export default function Requests() {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const [{ live, ...filters }, setFilters] = useFilters<keyof typeof FILTERS>(FILTERS)
  const pages = usePages<RequestPage>(
    '/console/api/requests',
    { org_id, mode, ...filters },
    { keep: true, refresh_ms: live === 'on' ? REFRESH_MS : false },
  )
  const isFiltered = Object.values(filters).some((value) => value !== '')
  const read = pages.data?.pages
  const requests = read?.flatMap((page) => page.requests) ?? []
  const leftOut = read?.reduce((sum, page) => sum + page.left_out, 0) ?? 0
  const last = read?.at(-1)
  return (
    <Page
      title="Requests"
      lead="What came with your keys in the last 24 hours, newest first. Bodies and queries are never kept."
    >
      <Filters
        filters={{ live, ...filters }}
        set={setFilters}
        onRefresh={() => void pages.refetch()}
        isBusy={pages.isRefetching && live !== 'on'}
      />
      <Section title="Request log" hideTitle>
        {pages.error && <Failed error={pages.error} onRetry={() => void pages.refetch()} />}
        {!pages.error && read === undefined && <Waiting for="requests" />}
        {!pages.error && read !== undefined && requests.length === 0 && (
          <Nothing isFiltered={isFiltered} onClear={() => setFilters(FILTERS)} />
        )}
        {requests.length > 0 && <RequestTable requests={requests} />}
        {last && (requests.length > 0 || pages.hasNextPage) && (
          <Walked
            pages={pages}
            shown={requests.length}
            what="requests"
            examined_until={last.examined_until}
          />
        )}
        {leftOut > 0 && (
          <p class="muted">
            {numberText(leftOut)} more came in this time and are not kept: of each second the log
            keeps a bounded number, and refused requests before others.
          </p>
        )}
      </Section>
    </Page>
  )
}

function Filters({
  filters,
  set,
  onRefresh,
  isBusy,
}: {
  filters: typeof FILTERS
  set: (changed: Partial<typeof FILTERS>) => void
  onRefresh: () => void
  isBusy: boolean
}) {
  const { status, method, path, key_id, live } = filters
  return (
    <Toolbar label="Filter requests">
      <SelectField
        label="Status"
        value={status as (typeof STATUSES)[number]['value']}
        options={STATUSES}
        onChange={(value) => set({ status: value })}
      />
      <SelectField
        label="Method"
        value={method}
        options={METHODS}
        onChange={(value) => set({ method: value })}
      />
      <FilterField
        label="Path begins with"
        type="search"
        placeholder="/v1/"
        value={path}
        onChange={(value) => set({ path: value })}
      />
      {key_id !== '' && (
        <Button onClick={() => set({ key_id: '' })}>
          One key only ✕<span class="visually-hidden"> Show all keys</span>
        </Button>
      )}
      <Button busy={isBusy} onClick={onRefresh}>
        Refresh
      </Button>
      <CheckField
        label="Live"
        checked={live === 'on'}
        onChange={(checked) => set({ live: checked ? 'on' : '' })}
      />
    </Toolbar>
  )
}

function Nothing({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const mode = useMode()
  return isFiltered ? (
    <Empty title="No request of the last day matches">
      <Button onClick={onClear}>Clear filters</Button>
    </Empty>
  ) : (
    <Empty title={`No request with ${mode} keys in the last day`}>
      <p>
        <PageLink to="/developers/keys">Create an API key</PageLink> and send a request; it appears
        here within seconds. Requests with a wrong key are nobody's and are not here.
      </p>
    </Empty>
  )
}

const NOT_KEPT = {
  label: 'Not kept',
  isNumber: true,
  cell: ({ left_out }: LoggedRequest) => (left_out > 0 ? `+${numberText(left_out)}` : ''),
}

const RequestTable = ({ requests }: { requests: readonly LoggedRequest[] }) => (
  <Table
    label="Requests"
    rows={requests}
    keyOf={({ id }) => id}
    columns={[
      {
        label: 'Time',
        cell: ({ at }) => (
          <span class={styles['nowrap']}>
            <Time at={at} as="exact" />
          </span>
        ),
      },
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
      {
        label: 'Took',
        isNumber: true,
        cell: ({ duration_ms }) => (
          <span class={styles['nowrap']}>{durationText(duration_ms)}</span>
        ),
      },
      { label: 'By', cell: (request) => <Sender request={request} /> },
      ...(requests.some(({ left_out }) => left_out > 0) ? [NOT_KEPT] : []),
    ]}
  />
)

function Sender({ request: { key_hint, key_id, user_email } }: { request: LoggedRequest }) {
  if (key_hint !== null && key_id !== null) {
    return (
      <PageLink to="/developers/requests" query={{ key_id }}>
        <code class={styles['nowrap']}>{key_hint}</code>
      </PageLink>
    )
  }
  return <>{user_email ?? '–'}</>
}

function toneOf(status: number): Tone {
  if (status >= 500) return 'bad'
  return status >= 400 ? 'warn' : 'good'
}
