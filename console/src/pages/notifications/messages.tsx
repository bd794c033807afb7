/** Messages that were sent or wait, newest first, with the answers of the providers. */
import type { ShownMessage } from '../../../../src/modules/notifications/schema.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { usePages } from '../../api/read.ts'
import { Badge, Button, ListSection, Time, type Tone } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { useOrg } from '../../shell/organization.ts'
import { NOTIFICATIONS, REFRESH_MS, useChannels, useNotificationChange } from './api.ts'
import { NotificationsPage } from './notifications-page.tsx'

type MessagePage = { messages: ShownMessage[]; next_cursor: string | null }

export default function Messages() {
  const { id: org_id, is_admin } = useOrg()
  const view = useFilters({ channel_id: '' })
  const [{ channel_id }] = view
  const channels = useChannels().data?.channels ?? []
  const options = channels.map(({ id, name }) => ({ value: id, label: name }))
  const pages = usePages<MessagePage>(
    `${NOTIFICATIONS}/messages`,
    { org_id, channel_id },
    { refresh_ms: REFRESH_MS, keep_previous: true },
  )
  return (
    <NotificationsPage lead="What was sent, and the answers of the providers">
      <ListSection
        list={rowsOfPages(pages, ({ messages }) => messages)}
        what="messages"
        columns={is_admin ? [...COLUMNS, ACTIONS] : COLUMNS}
        keyOf={({ id }) => id}
        batch={
          is_admin
            ? {
                nameOf: ({ items, id }) => items[0]?.title ?? id,
                actions: [
                  {
                    label: 'Send again',
                    effect: 'Each message is sent to its channel again.',
                    appliesTo: canRetry,
                    callOf: ({ id }) => ({
                      method: 'POST',
                      path: `${NOTIFICATIONS}/messages/${id}/retry`,
                      body: { org_id },
                    }),
                  },
                ],
                invalidates: [NOTIFICATIONS],
              }
            : undefined
        }
        view={view}
        filters={[
          {
            name: 'channel_id',
            label: 'Channel',
            options: [{ value: '', label: 'Any channel' }, ...options],
          },
        ]}
        empty={<p>Messages appear when something is notified, or when you send a test.</p>}
      />
    </NotificationsPage>
  )
}

const TONES: Record<ShownMessage['status'], Tone> = {
  pending: 'info',
  succeeded: 'good',
  failed: 'bad',
}

const COLUMNS: readonly Column<ShownMessage>[] = [
  { label: 'Created', cell: ({ created_at }) => <Time at={created_at} /> },
  {
    label: 'Channel',
    cell: ({ channel_name }) => channel_name ?? <span class="muted">deleted channel</span>,
  },
  {
    label: 'Message',
    isWide: true,
    cell: ({ items, step }) => (
      <>
        {items.map(({ notification_id, title }) => (
          <div key={notification_id}>{title}</div>
        ))}
        <span class="muted">{step}</span>
      </>
    ),
  },
  { label: 'Status', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
  { label: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { label: 'Last answer', isWide: true, cell: answerText },
  {
    label: 'Next attempt',
    cell: ({ status, due_at }) => (status === 'pending' ? <Time at={due_at} /> : null),
  },
]

function answerText({ error, response_status, response_body }: ShownMessage): string | null {
  if (error !== null) return error
  if (response_status === null) return null
  return [`Status ${response_status}`, response_body].filter(Boolean).join(': ')
}

const ACTIONS: Column<ShownMessage> = {
  label: 'Actions',
  hideLabel: true,
  cell: (message) => <RetryButton message={message} />,
}

/** A message of a deleted channel has nowhere to go. */
const canRetry = ({ status, channel_name }: ShownMessage): boolean =>
  status === 'failed' && channel_name !== null

function RetryButton({ message }: { message: ShownMessage }) {
  const { id, items } = message
  const retry = useNotificationChange(() => ({ method: 'POST', path: `/messages/${id}/retry` }), {
    toast: 'The message is sent again',
  })
  if (!canRetry(message)) return null
  return (
    <Button
      size="small"
      busy={retry.isPending}
      aria-label={`Send again: ${items[0]?.title ?? id}`}
      onClick={() => retry.mutate()}
    >
      Send again
    </Button>
  )
}
