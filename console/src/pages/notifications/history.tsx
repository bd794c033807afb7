/** The notifications of the organization, newest first. Members acknowledge those that last. */
import type { ShownNotification } from '../../../../src/modules/notifications/schema.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { usePages } from '../../api/read.ts'
import { Badge, Button, ListSection, Time, type Tone } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useOrg } from '../../shell/organization.ts'
import { NOTIFICATIONS, REFRESH_MS, useNotificationChange } from './api.ts'
import { type Severity, subjectName } from './names.ts'
import { NotificationsPage } from './notifications-page.tsx'

type NotificationPage = { notifications: ShownNotification[]; next_cursor: string | null }

export default function History() {
  const { id: org_id } = useOrg()
  const view = useFilters({ lasting: '' })
  const [{ lasting }] = view
  const pages = usePages<NotificationPage>(
    NOTIFICATIONS,
    { org_id, lasting },
    { refresh_ms: REFRESH_MS, keep_previous: true },
  )
  return (
    <NotificationsPage lead="What needs attention, and what has ended">
      <ListSection
        list={rowsOfPages(pages, ({ notifications }) => notifications)}
        what="notifications"
        columns={COLUMNS}
        keyOf={({ id }) => id}
        view={view}
        filters={[{ name: 'lasting', label: 'Only what lasts', checked: 'true' }]}
        empty={<p>Notifications appear when an alert fires or something else needs attention.</p>}
      />
    </NotificationsPage>
  )
}

function placeOf(link: string): { to: string; query: Record<string, string> } {
  const [to = '/', search] = link.split('?')
  return { to, query: Object.fromEntries(new URLSearchParams(search)) }
}

const TONES: Record<Severity, Tone> = { notice: 'info', warning: 'warn', critical: 'bad' }

const COLUMNS: readonly Column<ShownNotification>[] = [
  { label: 'Started', cell: ({ started_at }) => <Time at={started_at} /> },
  {
    label: 'Notification',
    isWide: true,
    cell: ({ title, detail, link }) => (
      <>
        <PageLink {...placeOf(link)}>{title}</PageLink>
        {detail?.split('\n').map((line) => (
          <div key={line} class="muted">
            {line}
          </div>
        ))}
      </>
    ),
  },
  { label: 'Subject', cell: ({ subject }) => subjectName(subject) },
  {
    label: 'Severity',
    cell: ({ severity }) => <Badge tone={TONES[severity]}>{severity}</Badge>,
  },
  {
    label: 'Ended',
    cell: ({ is_lasting, resolved_at }) =>
      is_lasting && resolved_at === null ? 'lasts' : <Time at={resolved_at} />,
  },
  {
    label: 'Acknowledged',
    cell: (notification) => <Acknowledgement notification={notification} />,
  },
]

function Acknowledgement({ notification }: { notification: ShownNotification }) {
  const { id, title, is_lasting, resolved_at, acknowledged_at, acknowledged_by } = notification
  const acknowledge = useNotificationChange(
    () => ({ method: 'POST', path: `/${id}/acknowledge` }),
    { toast: 'Acknowledged. It is not repeated.' },
  )
  if (acknowledged_at !== null) {
    return (
      <>
        <Time at={acknowledged_at} />
        {acknowledged_by !== null && <div class="muted">{acknowledged_by}</div>}
      </>
    )
  }
  if (!is_lasting || resolved_at !== null) return null
  return (
    <Button
      size="small"
      busy={acknowledge.isPending}
      aria-label={`Acknowledge ${title}`}
      onClick={() => acknowledge.mutate()}
    >
      Acknowledge
    </Button>
  )
}
