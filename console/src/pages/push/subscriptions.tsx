/** The devices of an application: who can be reached there, and why not. */
import { useEffect, useState } from 'preact/hooks'
import type { Subscription } from '../../../../src/modules/push/subscriptions/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange } from '../../api/read.ts'
import {
  Badge,
  Button,
  Confirm,
  Empty,
  More,
  Section,
  SelectField,
  Shown,
  Table,
  TextField,
  Time,
  Toolbar,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { type App, CHANGES, PUSH, useListed } from './api.ts'
import { ApplicationFrame } from './frame.tsx'
import styles from './push.module.css'
import { Reason } from './words.tsx'

const PATH = `${PUSH}/subscriptions`
const LIMIT = 50
const FILTERS = { external_user_id: '', platform: '', is_reachable: '' }

type Row = Answer<Subscription>

export default function SubscriptionsPage() {
  return <ApplicationFrame>{(app) => <Subscriptions key={app.id} app={app} />}</ApplicationFrame>
}

function Subscriptions({ app }: { app: App }) {
  const { id: org_id } = useOrg()
  const [filters, set] = useFilters(FILTERS)
  const [chosen, setChosen] = useState<Row>()
  const pages = useListed<Row[]>(
    PATH,
    { org_id, application_id: app.id, ...filters, limit: LIMIT },
    { parameter: 'before', next: (page) => (page.length < LIMIT ? undefined : page.at(-1)?.id) },
  )
  const hasFilters = Object.values(filters).some((value) => value !== '')
  return (
    <Section title="Subscriptions" hideTitle>
      <Toolbar label="Filter subscriptions">
        <UserField
          value={filters.external_user_id}
          onChange={(value) => set({ external_user_id: value }, { replace: true })}
        />
        <SelectField
          label="Platform"
          value={filters.platform}
          options={[
            { value: '', label: 'Any' },
            { value: 'android', label: 'Android' },
            { value: 'ios', label: 'iOS' },
          ]}
          onChange={(value) => set({ platform: value })}
        />
        <SelectField
          label="Reachable"
          value={filters.is_reachable}
          options={[
            { value: '', label: 'Any' },
            { value: 'true', label: 'Reachable' },
            { value: 'false', label: 'Not reachable' },
          ]}
          onChange={(value) => set({ is_reachable: value })}
        />
        {hasFilters && (
          <Button kind="quiet" onClick={() => set(FILTERS)}>
            Clear
          </Button>
        )}
      </Toolbar>
      <Shown read={pages} what="subscriptions">
        {({ pages: read }) => {
          const rows = read.flat()
          if (rows.length === 0) return <Nothing hasFilters={hasFilters} />
          return (
            <>
              <SubscriptionTable app={app} rows={rows} onDelete={setChosen} />
              <More pages={pages} shown={rows.length} what="subscriptions" />
            </>
          )
        }}
      </Shown>
      {chosen && <Deletion app={app} row={chosen} onClose={() => setChosen(undefined)} />}
    </Section>
  )
}

const PAUSE_MS = 300

/** Looks when typing pauses, not at each letter. */
function UserField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    if (text === value) return undefined
    const timer = setTimeout(() => onChange(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <TextField
      label="External user id"
      type="search"
      value={text}
      onInput={setText}
      placeholder="the whole id"
    />
  )
}

const Nothing = ({ hasFilters }: { hasFilters: boolean }) =>
  hasFilters ? (
    <Empty title="No subscription is like that">
      <p>Users are found by their whole id, as your backend calls them.</p>
    </Empty>
  ) : (
    <Empty title="No device has registered yet">
      <p>An app registers by its SDK when it starts and gets a token from its system.</p>
    </Empty>
  )

function SubscriptionTable({
  app,
  rows,
  onDelete,
}: {
  app: App
  rows: readonly Row[]
  onDelete: (row: Row) => void
}) {
  const { is_admin } = useOrg()
  return (
    <Table
      label="Subscriptions"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          label: 'Subscription',
          cell: ({ id, token_tail }) => (
            <div class={styles['whole']}>
              <code title={id}>…{id.slice(-8)}</code>
              <div class="muted">
                token {token_tail === null ? 'taken by another' : <code>…{token_tail}</code>}
              </div>
            </div>
          ),
        },
        {
          label: 'User',
          cell: ({ external_user_id, identified_at }) =>
            external_user_id === null ? (
              <span class="muted">nobody</span>
            ) : (
              <div class={styles['user']}>
                <div>{external_user_id}</div>
                <div class="muted">
                  since <Time at={identified_at} as="age" />
                </div>
              </div>
            ),
        },
        {
          label: 'Platform',
          cell: ({ platform, app_version, locale }) => (
            <>
              {platform === 'android' ? 'Android' : 'iOS'}
              <div class={`muted ${styles['whole']}`}>
                {[app_version, locale].filter(Boolean).join(', ')}
              </div>
            </>
          ),
        },
        { label: 'Reachable', isWide: true, cell: (row) => <Reachability row={row} /> },
        {
          label: 'Registered',
          cell: ({ token_registered_at }) => <Time at={token_registered_at} />,
        },
        {
          label: 'Actions',
          hideLabel: true,
          cell: (row) =>
            is_admin && (
              <span class={styles['actions']}>
                <PageLink to={`/push/${app.id}/setup`} query={{ test: row.id, by: row.platform }}>
                  Test
                </PageLink>
                <Button
                  kind="quiet"
                  size="small"
                  onClick={() => onDelete(row)}
                  aria-label={`Delete ${row.id}`}
                >
                  Delete
                </Button>
              </span>
            ),
        },
      ]}
    />
  )
}

function Reachability({ row }: { row: Row }) {
  const { is_reachable, permission, invalidated_at, invalid_reason } = row
  if (is_reachable) {
    return (
      <>
        <Badge tone="good">reachable</Badge>{' '}
        {permission === 'provisional' && <span class="muted">provisional permission</span>}
      </>
    )
  }
  return (
    <>
      <Badge tone="warn">not reachable</Badge>{' '}
      {invalidated_at === null ? (
        'The permission was denied.'
      ) : (
        <>
          <Reason reason={invalid_reason} /> Since <Time at={invalidated_at} />.
        </>
      )}
    </>
  )
}

function Deletion({ app, row, onClose }: { app: App; row: Row; onClose: () => void }) {
  const { id: org_id } = useOrg()
  const remove = useChange(
    () => ({
      method: 'DELETE',
      path: `${PATH}/${row.id}`,
      query: { org_id, application_id: app.id },
    }),
    { quiet: true, done: 'Subscription deleted', changes: CHANGES, onDone: onClose },
  )
  return (
    <Confirm
      title="Delete this subscription?"
      action="Delete subscription"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        {row.external_user_id === null ? 'Its' : `The ${row.platform} device of`}{' '}
        {row.external_user_id !== null && <strong>{row.external_user_id}</strong>}
        {row.external_user_id === null ? ' token is' : ': token and user are'} gone at once, for
        good. What waits for it is not sent and fails as <code>unreachable</code>. The app is a new
        subscription when it registers again.
      </p>
    </Confirm>
  )
}
