/** The routes of the organization. Members read; owners and admins change routes. */
import { useState } from 'preact/hooks'
import type { Channel, ShownRoute } from '../../../../src/modules/notifications/schema.ts'
import { mapRead } from '../../api/lists.ts'
import { useRead } from '../../api/read.ts'
import { Badge, Button, ConfirmButton, ListSection, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import { useOrg } from '../../shell/organization.ts'
import { NOTIFICATIONS, useChannels, useNotificationChange } from './api.ts'
import { isMuted, MuteButton } from './mute.tsx'
import { SEVERITY_NAMES, subjectName } from './names.ts'
import { NotificationsPage } from './notifications-page.tsx'
import { RouteForm } from './route-form.tsx'

export default function Routes() {
  const { id: org_id, is_admin } = useOrg()
  const [isAdding, setAdding] = useState(false)
  const channels = useChannels().data?.channels ?? []
  const read = useRead<{ routes: ShownRoute[] }>(`${NOTIFICATIONS}/routes`, { org_id })
  return (
    <NotificationsPage
      lead="Which channels are notified of what"
      actions={
        is_admin && (
          <Button kind="primary" onClick={() => setAdding(true)}>
            Add a route
          </Button>
        )
      }
    >
      <ListSection
        list={mapRead(read, ({ routes }) => routes)}
        what="routes"
        columns={is_admin ? [...columnsOf(channels), actionsOf(channels)] : columnsOf(channels)}
        keyOf={({ id }) => id}
        empty={
          <p>
            Nothing is sent to channels without a route. A route for all other subjects applies
            where no other one does.
          </p>
        }
      />
      {isAdding && <RouteForm channels={channels} onClose={() => setAdding(false)} />}
    </NotificationsPage>
  )
}

const routeName = ({ subject, rule_id }: ShownRoute): string =>
  rule_id === null ? subjectName(subject) : `${subjectName(subject)}, rule ${rule_id}`

const columnsOf = (channels: readonly Channel[]): readonly Column<ShownRoute>[] => [
  { label: 'Subject', isWide: true, cell: routeName },
  {
    label: 'Channels',
    isWide: true,
    cell: ({ channel_ids }) =>
      channel_ids.length === 0 ? (
        <span class="muted">none</span>
      ) : (
        channel_ids
          .map((id) => channels.find((channel) => channel.id === id)?.name ?? 'deleted channel')
          .join(', ')
      ),
  },
  { label: 'Severity', cell: ({ min_severity }) => SEVERITY_NAMES[min_severity] },
  {
    label: 'Repeated',
    cell: ({ repeat_minutes }) => (repeat_minutes === 0 ? 'never' : `every ${repeat_minutes} min`),
  },
  {
    label: 'Quiet hours',
    cell: ({ quiet_hours }) =>
      quiet_hours && `${quiet_hours.from} to ${quiet_hours.until} (${quiet_hours.time_zone})`,
  },
  {
    label: 'Muted',
    cell: ({ muted_until }) =>
      isMuted(muted_until) ? (
        <>
          <Badge tone="warn">muted</Badge> until <Time at={muted_until} />
        </>
      ) : null,
  },
]

const actionsOf = (channels: readonly Channel[]): Column<ShownRoute> => ({
  label: 'Actions',
  hideLabel: true,
  cell: (route) => (
    <span class="actions">
      <EditButton route={route} channels={channels} />
      <MuteButton
        path={`${NOTIFICATIONS}/routes/${route.id}/mute`}
        invalidates={[NOTIFICATIONS]}
        what="route"
        name={routeName(route)}
        isMuted={isMuted(route.muted_until)}
      />
      <DeleteButton route={route} />
    </span>
  ),
})

function EditButton({ route, channels }: { route: ShownRoute; channels: readonly Channel[] }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button size="small" aria-label={`Edit ${routeName(route)}`} onClick={() => setOpen(true)}>
        Edit
      </Button>
      {isOpen && <RouteForm route={route} channels={channels} onClose={() => setOpen(false)} />}
    </>
  )
}

function DeleteButton({ route }: { route: ShownRoute }) {
  const name = routeName(route)
  const remove = useNotificationChange(() => ({ method: 'DELETE', path: `/routes/${route.id}` }), {
    toast: `Route deleted: ${name}`,
    quiet: true,
  })
  return (
    <ConfirmButton
      label="Delete"
      aria-label={`Delete ${name}`}
      size="small"
      title="Delete this route?"
      action="Delete route"
      change={remove}
    >
      <p>
        {name}: the next less specific route applies from now on. Without one, no channel is
        notified.
      </p>
    </ConfirmButton>
  )
}
