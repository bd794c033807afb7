import { useState } from 'preact/hooks'
import type { Subscription } from '../../../../src/modules/push/subscriptions/schema.ts'
import type { Answer } from '../../api/client.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { usePages } from '../../api/read.ts'
import { Badge, Button, Confirm, ListSection, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { type App, PUSH, usePushChange } from './api.ts'
import { ApplicationPage } from './application-page.tsx'
import styles from './push.module.css'
import { Reason } from './status.tsx'

const PATH = `${PUSH}/subscriptions`
const LIMIT = 50
const ANY = { value: '', label: 'Any' }

type Row = Answer<Subscription>

export default function SubscriptionsPage() {
  return <ApplicationPage>{(app) => <Subscriptions key={app.id} app={app} />}</ApplicationPage>
}

function Subscriptions({ app }: { app: App }) {
  const { id: org_id, is_admin } = useOrg()
  const view = useFilters({ external_user_id: '', platform: '', is_reachable: '' })
  const [selected, setSelected] = useState<Row>()
  const pages = usePages<Row[]>(
    PATH,
    { org_id, application_id: app.id, ...view[0], limit: LIMIT },
    {
      parameter: 'before',
      next: (page) => (page.length < LIMIT ? undefined : page.at(-1)?.id),
      keep_previous: true,
    },
  )
  return (
    <>
      <ListSection
        list={rowsOfPages(pages, (page) => page)}
        what="subscriptions"
        columns={is_admin ? [...COLUMNS, actionColumn(app, setSelected)] : COLUMNS}
        keyOf={({ id }) => id}
        batch={
          is_admin
            ? {
                nameOf: ({ id, external_user_id }) => external_user_id ?? id,
                actions: [
                  {
                    label: 'Delete',
                    isDanger: true,
                    effect:
                      'The push tokens are deleted permanently. An app that registers again gets a new subscription.',
                    callOf: ({ id }) => ({
                      method: 'DELETE',
                      path: `${PATH}/${id}`,
                      query: { org_id, application_id: app.id },
                    }),
                  },
                ],
                invalidates: [PATH],
              }
            : undefined
        }
        view={view}
        filters={[
          {
            name: 'external_user_id',
            label: 'External user ID',
            type: 'search',
            placeholder: 'exact ID',
          },
          {
            name: 'platform',
            label: 'Platform',
            options: [ANY, { value: 'android', label: 'Android' }, { value: 'ios', label: 'iOS' }],
          },
          {
            name: 'is_reachable',
            label: 'Reachable',
            options: [
              ANY,
              { value: 'true', label: 'Reachable' },
              { value: 'false', label: 'Not reachable' },
            ],
          },
        ]}
        empty={<p>Devices register through the SDK in your app when it starts.</p>}
      />
      {selected && <Deletion app={app} row={selected} onClose={() => setSelected(undefined)} />}
    </>
  )
}

const COLUMNS: readonly Column<Row>[] = [
  {
    label: 'Subscription',
    cell: ({ id, token_tail }) => (
      <div class="nowrap">
        <code title={id}>…{id.slice(-8)}</code>
        <div class="muted">
          {token_tail === null ? (
            'token used elsewhere'
          ) : (
            <>
              token <code>…{token_tail}</code>
            </>
          )}
        </div>
      </div>
    ),
  },
  {
    label: 'User',
    cell: ({ external_user_id, identified_at }) =>
      external_user_id && (
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
        <div class="muted nowrap">{[app_version, locale].filter(Boolean).join(', ')}</div>
      </>
    ),
  },
  { label: 'Reachable', isWide: true, cell: (row) => <Reachability row={row} /> },
  { label: 'Registered', cell: ({ token_registered_at }) => <Time at={token_registered_at} /> },
]

const actionColumn = (app: App, onDelete: (row: Row) => void): Column<Row> => ({
  label: 'Actions',
  hideLabel: true,
  cell: (row) => (
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
})

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
        'Notification permission denied.'
      ) : (
        <>
          <Reason reason={invalid_reason} /> Since <Time at={invalidated_at} />.
        </>
      )}
    </>
  )
}

function Deletion({ app, row, onClose }: { app: App; row: Row; onClose: () => void }) {
  const remove = usePushChange(
    () => ({ method: 'DELETE', path: `${PATH}/${row.id}`, query: { application_id: app.id } }),
    { toast: 'Subscription deleted', onSuccess: onClose },
  )
  return (
    <Confirm
      title="Delete this subscription?"
      action="Delete subscription"
      change={remove}
      onClose={onClose}
    >
      <p>
        Deletes the push token{' '}
        {row.external_user_id !== null && (
          <>
            of <strong>{row.external_user_id}</strong>{' '}
          </>
        )}
        permanently. Pending messages to this device fail with <code>unreachable</code>. If the app
        registers again, it gets a new subscription.
      </p>
    </Confirm>
  )
}
