import { useState } from 'preact/hooks'
import type { CreatedKey, KeyRecord } from '../../../../src/modules/keys/schema.ts'
import { mapRead } from '../../api/lists.ts'
import { useRead } from '../../api/read.ts'
import { Badge, Button, ListSection, Notice, Page, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { CreateKey, NewKey } from './create-key.tsx'
import { EditKey, type Key, RevokeKey, RollKey } from './key-dialogs.tsx'
import { KeyHelp } from './key-help.tsx'
import { type MonthCosts, monthText, useMonthCosts } from './month-costs.ts'

type OpenDialog =
  | { name: 'create' }
  | { name: 'edit' | 'roll' | 'revoke'; key: Key }
  | { name: 'created'; created: CreatedKey }

export default function ApiKeys() {
  const { is_admin } = useOrg()
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  const showCreated = (created: CreatedKey) => setDialog({ name: 'created', created })
  return (
    <Page
      title="API keys"
      lead="Keys authenticate your servers, pages and apps to the API"
      actions={
        <>
          <a class="button" href="/docs" target="_blank" rel="noreferrer">
            API reference
          </a>
          {is_admin && (
            <Button kind="primary" onClick={() => setDialog({ name: 'create' })}>
              Create key
            </Button>
          )}
        </>
      }
    >
      {is_admin ? (
        <KeyList onOpen={setDialog} />
      ) : (
        <Notice>
          Only owners and admins can see and manage API keys. See{' '}
          <PageLink to="/organization">Organization</PageLink> for who they are.
        </Notice>
      )}
      <KeyHelp />
      {dialog?.name === 'create' && <CreateKey onCreated={showCreated} onClose={close} />}
      {dialog?.name === 'edit' && <EditKey keyRecord={dialog.key} onClose={close} />}
      {dialog?.name === 'roll' && (
        <RollKey keyRecord={dialog.key} onCreated={showCreated} onClose={close} />
      )}
      {dialog?.name === 'revoke' && <RevokeKey keyRecord={dialog.key} onClose={close} />}
      {dialog?.name === 'created' && <NewKey created={dialog.created} onClose={close} />}
    </Page>
  )
}

type ListProps = { onOpen: (dialog: OpenDialog) => void }

function KeyList({ onOpen }: ListProps) {
  const { id: org_id } = useOrg()
  const view = useFilters({ revoked: '' })
  const showsRevoked = view[0].revoked === 'shown'
  const keys = useRead<Key[]>('/console/api/keys', { org_id })
  const costs = useMonthCosts()
  return (
    <ListSection
      list={mapRead(keys, (all) => all.filter((key) => showsRevoked || stateOf(key) !== 'ended'))}
      what="keys"
      label="API keys"
      columns={columnsOf(onOpen, costs)}
      keyOf={({ key_id }) => key_id}
      batch={{
        nameOf: ({ key_hint, name }) => (name === '' ? key_hint : `${name} ${key_hint}`),
        actions: [
          {
            label: 'Revoke',
            isDanger: true,
            effect: 'Requests with these keys immediately fail. Revoked keys cannot be restored.',
            appliesTo: (key) => stateOf(key) !== 'ended',
            callOf: ({ key_id }) => ({
              method: 'POST',
              path: '/console/api/keys/revoke',
              body: { org_id, key_id },
            }),
          },
        ],
        invalidates: ['/console/api/keys', '/console/api/audit'],
      }}
      view={view}
      filters={[{ name: 'revoked', label: 'Show revoked and expired keys', checked: 'shown' }]}
      emptyTitle="No active keys"
      empty={<p>Create a key to call the API. Test keys are free and do not affect live data.</p>}
    />
  )
}

const columnsOf = (
  onOpen: ListProps['onOpen'],
  costs: MonthCosts | undefined,
): readonly Column<Key>[] => [
  {
    label: 'Key',
    isWide: true,
    cell: ({ key_hint, name, note }) => (
      <>
        {name !== '' && <div>{name}</div>}
        <code>{key_hint}</code>
        {note !== '' && <div class="muted">{note}</div>}
      </>
    ),
  },
  { label: 'Type', cell: ({ type }) => <KeyType type={type} /> },
  { label: 'Limits', cell: (key) => <Limits keyRecord={key} /> },
  { label: 'State', cell: (key) => <KeyState keyRecord={key} /> },
  {
    label: 'Cost this month',
    cell: ({ key_id, type }) =>
      type.startsWith('test') ? (
        'Free'
      ) : (
        <PageLink to="/developers/usage">{monthText(costs, key_id)}</PageLink>
      ),
  },
  { label: 'Last used', cell: (key) => <LastUse keyRecord={key} /> },
  {
    label: 'Created',
    cell: ({ created_at, created_by }) => (
      <>
        <Time at={created_at} as="day" />
        <div class="muted">{created_by ?? 'Command line'}</div>
      </>
    ),
  },
  {
    label: 'Actions',
    hideLabel: true,
    cell: (key) => <KeyActions keyRecord={key} onOpen={onOpen} />,
  },
]

function KeyActions({ keyRecord: key, onOpen }: ListProps & { keyRecord: Key }) {
  const { key_id, key_hint, type } = key
  const mode = type.startsWith('test') ? 'test' : undefined
  return (
    <span class="actions">
      <PageLink to="/developers/requests" query={{ key_id, mode }}>
        Requests
      </PageLink>
      {stateOf(key) !== 'ended' && (
        <>
          <Button
            size="small"
            aria-label={`Edit ${key_hint}`}
            onClick={() => onOpen({ name: 'edit', key })}
          >
            Edit
          </Button>
          {stateOf(key) === 'active' && (
            <Button
              size="small"
              aria-label={`Roll ${key_hint}`}
              onClick={() => onOpen({ name: 'roll', key })}
            >
              Roll
            </Button>
          )}
          <Button
            size="small"
            kind="danger"
            aria-label={`Revoke ${key_hint}`}
            onClick={() => onOpen({ name: 'revoke', key })}
          >
            Revoke
          </Button>
        </>
      )}
    </span>
  )
}

const KEY_NAMES: Record<KeyRecord['type'], string> = {
  live_secret: 'Live, secret',
  test_secret: 'Test, secret',
  live_public: 'Live, public',
  test_public: 'Test, public',
}

const KeyType = ({ type }: { type: Key['type'] }) => (
  <Badge tone={type.startsWith('live') ? 'good' : 'warn'}>{KEY_NAMES[type]}</Badge>
)

function Limits({ keyRecord: { scopes, networks } }: { keyRecord: Key }) {
  if (scopes === null && networks === null) return <>None</>
  return (
    <>
      {scopes?.map((scope) => (
        <div key={scope}>
          <code>{scope}</code>
        </div>
      ))}
      {networks !== null && <div class="muted">{networks.join(', ')}</div>}
    </>
  )
}

function LastUse({ keyRecord }: { keyRecord: Key }) {
  const { last_used_at, last_used_address, last_used_operation } = keyRecord
  if (last_used_at === null) return <>Never</>
  return (
    <>
      <Time at={last_used_at} as="age" />
      <div class="muted">{last_used_operation}</div>
      <div class="muted">{last_used_address}</div>
    </>
  )
}

/** An ending key was rolled, and works until the overlap is over. */
function stateOf({ revoked_at, expires_at, replaced_by }: Key): 'active' | 'ending' | 'ended' {
  const isOver = expires_at !== null && Date.parse(expires_at) <= Date.now()
  if (revoked_at !== null || isOver) return 'ended'
  return replaced_by === null ? 'active' : 'ending'
}

function KeyState({ keyRecord }: { keyRecord: Key }) {
  const { revoked_at, replaced_by, expires_at } = keyRecord
  const state = stateOf(keyRecord)
  const end = revoked_at ?? expires_at
  if (end === null) return <>Active</>
  if (state === 'ending') {
    return (
      <>
        <Badge tone="warn">Ending</Badge> <Time at={end} />
      </>
    )
  }
  if (state === 'active') {
    return (
      <>
        Active until <Time at={end} as="day" />
      </>
    )
  }
  const word = replaced_by !== null ? 'Rolled' : revoked_at !== null ? 'Revoked' : 'Expired'
  return (
    <>
      {word} <Time at={end} as="day" />
    </>
  )
}
