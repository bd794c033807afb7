import { useState } from 'preact/hooks'
import type { CreatedKey, KeyRecord } from '../../../../src/modules/keys/schema.ts'
import type { Answer } from '../../api/client.ts'
import { mapRead } from '../../api/lists.ts'
import { useRead } from '../../api/read.ts'
import { Badge, Button, Confirm, ListSection, Notice, Page, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { CreateKey, NewKey, useKeyChange } from './create-key.tsx'
import { KeyHelp } from './key-help.tsx'

type Key = Answer<KeyRecord>
type OpenDialog =
  | { name: 'create' }
  | { name: 'roll' | 'revoke'; key: Key }
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
  return (
    <ListSection
      list={mapRead(keys, (all) => all.filter((key) => showsRevoked || key.revoked_at === null))}
      what="keys"
      label="API keys"
      columns={columnsOf(onOpen)}
      keyOf={({ key_id }) => key_id}
      view={view}
      filters={[{ name: 'revoked', label: 'Show revoked keys', checked: 'shown' }]}
      emptyTitle="No active keys"
      empty={<p>Create a key to call the API. Test keys are free and do not affect live data.</p>}
    />
  )
}

const columnsOf = (onOpen: ListProps['onOpen']): readonly Column<Key>[] => [
  { label: 'Key', cell: ({ key_hint }) => <code>{key_hint}</code> },
  { label: 'Type', cell: ({ type }) => <KeyType type={type} /> },
  { label: 'State', cell: (key) => <KeyState keyRecord={key} /> },
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} as="day" /> },
  { label: 'Created by', isWide: true, cell: ({ created_by }) => created_by ?? 'Command line' },
  {
    label: 'Requests',
    hideLabel: true,
    cell: ({ key_id, type }) => (
      <PageLink
        to="/developers/requests"
        query={{ key_id, mode: type.startsWith('test') ? 'test' : undefined }}
      >
        Requests
      </PageLink>
    ),
  },
  {
    label: 'Actions',
    hideLabel: true,
    cell: (key) =>
      key.revoked_at === null && (
        <span class="actions">
          <Button
            size="small"
            aria-label={`Roll ${key.key_hint}`}
            onClick={() => onOpen({ name: 'roll', key })}
          >
            Roll
          </Button>
          <Button
            size="small"
            kind="danger"
            aria-label={`Revoke ${key.key_hint}`}
            onClick={() => onOpen({ name: 'revoke', key })}
          >
            Revoke
          </Button>
        </span>
      ),
  },
]

const KEY_NAMES: Record<KeyRecord['type'], string> = {
  live_secret: 'Live, secret',
  test_secret: 'Test, secret',
  live_public: 'Live, public',
  test_public: 'Test, public',
}

const KeyType = ({ type }: { type: Key['type'] }) => (
  <Badge tone={type.startsWith('live') ? 'good' : 'warn'}>{KEY_NAMES[type]}</Badge>
)

function KeyState({ keyRecord: { revoked_at, replaced_by } }: { keyRecord: Key }) {
  if (revoked_at === null) return <>Active</>
  return (
    <>
      {replaced_by === null ? 'Revoked' : 'Rolled'} <Time at={revoked_at} as="day" />
    </>
  )
}

type RollProps = RevokeProps & { onCreated: (created: CreatedKey) => void }

function RollKey({ keyRecord: { key_id, key_hint }, onCreated, onClose }: RollProps) {
  const roll = useKeyChange<CreatedKey>('/roll', { key_id }, { onSuccess: onCreated })
  return (
    <Confirm title={`Roll ${key_hint}?`} action="Roll key" change={roll} onClose={onClose}>
      <p>
        You get a new key of the same type. The current key stops working immediately: requests with
        it fail with status 401.
      </p>
      <p>
        To switch without downtime, create another key, deploy it everywhere, and then revoke this
        one.
      </p>
    </Confirm>
  )
}

type RevokeProps = { keyRecord: Key; onClose: () => void }

function RevokeKey({ keyRecord: { key_id, key_hint }, onClose }: RevokeProps) {
  const options = { toast: `${key_hint} was revoked`, onSuccess: onClose }
  const revoke = useKeyChange('/revoke', { key_id }, options)
  return (
    <Confirm title={`Revoke ${key_hint}?`} action="Revoke key" change={revoke} onClose={onClose}>
      <p>
        Requests with this key immediately fail with status 401. A revoked key cannot be restored.
      </p>
    </Confirm>
  )
}
