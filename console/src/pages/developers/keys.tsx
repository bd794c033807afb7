/** API keys: made and shown once, rolled, revoked. */

import { useState } from 'preact/hooks'
import type { CreatedKey, KeyRecord } from '../../../../src/modules/keys/schema.ts'
import type { Answer } from '../../api/client.ts'
import { useChange, useRead } from '../../api/read.ts'
import {
  Badge,
  Button,
  CheckField,
  Confirm,
  Dialog,
  Empty,
  Notice,
  Page,
  Section,
  Shown,
  Table,
  Time,
  Toolbar,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { CreateKey, NewKey } from './create-key.tsx'
import styles from './developers.module.css'
import { KeyHelp } from './key-help.tsx'
import { KEY_NAMES } from './words.ts'

type Key = Answer<KeyRecord>
type Asked =
  | { what: 'create' }
  | { what: 'roll' | 'revoke'; key: Key }
  | { what: 'made'; made: CreatedKey }

export default function ApiKeys() {
  const { is_admin } = useOrg()
  const [asked, setAsked] = useState<Asked>()
  const close = () => setAsked(undefined)
  const made = (key: CreatedKey) => setAsked({ what: 'made', made: key })
  return (
    <Page
      title="API keys"
      lead="How your servers and pages prove who they are to the API"
      actions={
        <>
          <a class="button" href="/docs" target="_blank" rel="noreferrer">
            API reference
          </a>
          {is_admin && (
            <Button kind="primary" onClick={() => setAsked({ what: 'create' })}>
              Create key
            </Button>
          )}
        </>
      }
    >
      {is_admin ? (
        <KeyList onAsk={setAsked} />
      ) : (
        <Notice>
          Owners and admins see and manage API keys. Ask one of them; the{' '}
          <PageLink to="/organization">organisation page</PageLink> names them.
        </Notice>
      )}
      <KeyHelp />
      {asked?.what === 'create' && <CreateKey onMade={made} onClose={close} />}
      {asked?.what === 'roll' && <RollKey keyRecord={asked.key} onMade={made} onClose={close} />}
      {asked?.what === 'revoke' && <RevokeKey keyRecord={asked.key} onClose={close} />}
      {asked?.what === 'made' && (
        <Dialog title="Your new key" onClose={close}>
          <NewKey made={asked.made} onClose={close} />
        </Dialog>
      )}
    </Page>
  )
}

function KeyList({ onAsk }: { onAsk: (asked: Asked) => void }) {
  const { id: org_id } = useOrg()
  const [{ revoked }, setFilters] = useFilters({ revoked: '' })
  const keys = useRead<Key[]>('/console/api/keys', { org_id })
  return (
    <Section title="Keys" hideTitle>
      <Toolbar label="Filter keys">
        <CheckField
          label="Show revoked keys"
          checked={revoked === 'shown'}
          onChange={(checked) => setFilters({ revoked: checked ? 'shown' : '' })}
        />
      </Toolbar>
      <Shown read={keys} what="keys">
        {(all) => {
          const shown = revoked === 'shown' ? all : all.filter(({ revoked_at }) => !revoked_at)
          return shown.length === 0 ? (
            <Empty title="There is no active key">
              <p>Create one to call the API. With a test key nothing costs and nothing is live.</p>
            </Empty>
          ) : (
            <KeyTable keys={shown} onAsk={onAsk} />
          )
        }}
      </Shown>
    </Section>
  )
}

function KeyTable({ keys, onAsk }: { keys: readonly Key[]; onAsk: (asked: Asked) => void }) {
  return (
    <Table
      label="API keys"
      rows={keys}
      keyOf={({ key_id }) => key_id}
      columns={[
        { label: 'Key', cell: ({ key_hint }) => <code class={styles['nowrap']}>{key_hint}</code> },
        { label: 'Type', cell: ({ type }) => <KeyType type={type} /> },
        { label: 'State', cell: (key) => <KeyState keyRecord={key} /> },
        {
          label: 'Created',
          cell: ({ created_at }) => (
            <span class={styles['nowrap']}>
              <Time at={created_at} as="day" />
            </span>
          ),
        },
        { label: 'By', isWide: true, cell: ({ created_by }) => created_by ?? 'Command line' },
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
              <span class={`actions ${styles['row'] ?? ''}`}>
                <Button
                  size="small"
                  aria-label={`Roll ${key.key_hint}`}
                  onClick={() => onAsk({ what: 'roll', key })}
                >
                  Roll
                </Button>
                <Button
                  size="small"
                  kind="danger"
                  aria-label={`Revoke ${key.key_hint}`}
                  onClick={() => onAsk({ what: 'revoke', key })}
                >
                  Revoke
                </Button>
              </span>
            ),
        },
      ]}
    />
  )
}

const KeyType = ({ type }: { type: Key['type'] }) => (
  <Badge tone={type.startsWith('live') ? 'good' : 'warn'}>{KEY_NAMES[type]}</Badge>
)

function KeyState({ keyRecord: { revoked_at, replaced_by } }: { keyRecord: Key }) {
  if (revoked_at === null) return <>Active</>
  return (
    <span class={styles['nowrap']}>
      {replaced_by === null ? 'Revoked' : 'Rolled'} <Time at={revoked_at} as="day" />
    </span>
  )
}

function RollKey({
  keyRecord: { key_id, key_hint },
  onMade,
  onClose,
}: {
  keyRecord: Key
  onMade: (made: CreatedKey) => void
  onClose: () => void
}) {
  const { id: org_id } = useOrg()
  const roll = useChange<void, CreatedKey>(
    () => ({ method: 'POST', path: '/console/api/keys/roll', body: { org_id, key_id } }),
    { changes: ['/console/api/keys', '/console/api/audit'], onDone: onMade, quiet: true },
  )
  return (
    <Confirm
      title={`Roll ${key_hint}`}
      action="Roll key"
      busy={roll.isPending}
      error={roll.error}
      onConfirm={() => roll.mutate()}
      onClose={onClose}
    >
      <p>
        You get a new key of the same type, and this one stops working at once: requests that still
        send it are answered with 401.
      </p>
      <p>
        To change over without a gap, create another key instead, put it to use everywhere, and
        revoke this one then.
      </p>
    </Confirm>
  )
}

function RevokeKey({
  keyRecord: { key_id, key_hint },
  onClose,
}: {
  keyRecord: Key
  onClose: () => void
}) {
  const { id: org_id } = useOrg()
  const revoke = useChange(
    () => ({ method: 'POST', path: '/console/api/keys/revoke', body: { org_id, key_id } }),
    {
      changes: ['/console/api/keys', '/console/api/audit'],
      done: `${key_hint} is revoked`,
      onDone: onClose,
      quiet: true,
    },
  )
  return (
    <Confirm
      title={`Revoke ${key_hint}`}
      action="Revoke key"
      busy={revoke.isPending}
      error={revoke.error}
      onConfirm={() => revoke.mutate()}
      onClose={onClose}
    >
      <p>
        Requests that send it are answered with 401 at once. A revoked key cannot be brought back.
      </p>
    </Confirm>
  )
}
