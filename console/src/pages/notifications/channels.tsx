/** The channels of the organization: e-mail addresses, chats, services and phones. */
import { useState } from 'preact/hooks'
import type { Channel } from '../../../../src/modules/notifications/schema.ts'
import { mapRead } from '../../api/lists.ts'
import { Badge, Button, ConfirmButton, ListSection, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { KIND_NAMES, useChannels, useNotificationChange } from './api.ts'
import { ChannelForm } from './channel-form.tsx'
import { NotificationsPage } from './notifications-page.tsx'
import { TestButton } from './test-channel.tsx'

export default function Channels() {
  const { is_admin } = useOrg()
  const [isAdding, setAdding] = useState(false)
  const read = useChannels()
  return (
    <NotificationsPage
      lead="Where this organization is notified"
      actions={
        is_admin && (
          <Button kind="primary" onClick={() => setAdding(true)}>
            Add a channel
          </Button>
        )
      }
    >
      <ListSection
        list={mapRead(read, ({ channels }) => channels)}
        what="channels"
        columns={is_admin ? [...COLUMNS, ACTIONS] : COLUMNS}
        keyOf={({ id }) => id}
        empty={
          <p>
            {is_admin
              ? 'Add one to be notified by e-mail, in a chat, by PagerDuty, by a webhook or on a phone.'
              : 'Owners and admins can add channels.'}
          </p>
        }
      />
      {isAdding && <ChannelForm onClose={() => setAdding(false)} />}
    </NotificationsPage>
  )
}

const COLUMNS: readonly Column<Channel>[] = [
  {
    label: 'Channel',
    cell: ({ id, name }) => (
      <>
        <strong>{name}</strong>
        <div>
          <PageLink
            to="/notifications/messages"
            query={{ channel_id: id }}
            aria-label={`Messages of ${name}`}
          >
            Messages
          </PageLink>
        </div>
      </>
    ),
  },
  { label: 'Kind', cell: ({ kind }) => KIND_NAMES[kind] },
  { label: 'Target', isWide: true, cell: targetText },
  { label: 'State', cell: (channel) => <ChannelState channel={channel} /> },
  { label: 'Messages per hour', isNumber: true, cell: ({ per_hour_max }) => per_hour_max },
]

const ACTIONS: Column<Channel> = {
  label: 'Actions',
  hideLabel: true,
  cell: (channel) => (
    <span class="actions">
      <TestButton channel={channel} />
      <EditButton channel={channel} />
      <DeleteButton channel={channel} />
    </span>
  ),
}

function targetText({ config }: Channel): string | null {
  const { to, host, external_user_ids } = config
  return to?.join(', ') ?? host ?? external_user_ids?.join(', ') ?? null
}

function ChannelState({ channel }: { channel: Channel }) {
  const { verified_at, failing_since, last_error } = channel
  if (failing_since !== null) {
    return (
      <>
        <Badge tone="bad">failing</Badge> since <Time at={failing_since} as="age" />
        {last_error !== null && <div class="muted">{last_error}</div>}
      </>
    )
  }
  return verified_at === null ? (
    <Badge>not verified</Badge>
  ) : (
    <>
      <Badge tone="good">verified</Badge> <Time at={verified_at} as="day" />
    </>
  )
}

function EditButton({ channel }: { channel: Channel }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="small" aria-label={`Edit ${channel.name}`} onClick={() => setOpen(true)}>
        Edit
      </Button>
      {isOpen && <ChannelForm channel={channel} onClose={() => setOpen(false)} />}
    </>
  )
}

function DeleteButton({ channel: { id, name } }: { channel: Channel }) {
  const remove = useNotificationChange(() => ({ method: 'DELETE', path: `/channels/${id}` }), {
    toast: `Channel ${name} deleted`,
    quiet: true,
  })
  return (
    <ConfirmButton
      label="Delete"
      aria-label={`Delete ${name}`}
      size="small"
      title={`Delete the channel ${name}?`}
      action="Delete channel"
      change={remove}
    >
      <p>
        Nothing more is sent to it, also messages that wait. Routes no longer lead to it. This
        cannot be undone.
      </p>
    </ConfirmButton>
  )
}
