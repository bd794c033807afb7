/** What can be done with a log alert rule. Owners and admins change rules; all members see their history. */
import { useState } from 'preact/hooks'
import type { Alert } from '../../../../../src/modules/edge/alerts/schema.ts'
import type { ShownRoute } from '../../../../../src/modules/notifications/schema.ts'
import { useChange, useRead } from '../../../api/read.ts'
import { Button, Confirm, Loaded } from '../../../components/index.ts'
import { useOrg } from '../../../shell/organization.ts'
import { NOTIFICATIONS, useChannels } from '../../notifications/api.ts'
import { isMuted, MuteButton } from '../../notifications/mute.tsx'
import { RouteForm } from '../../notifications/route-form.tsx'
import { FiringsDialog } from './firings.tsx'
import { ALERTS_PATH, CONSOLE_PATH, formOf } from './rule.ts'
import { RuleDialog } from './rule-form.tsx'

type Props = { alert: Alert; onClose: () => void }

const DIALOGS = {
  history: FiringsDialog,
  edit: EditRule,
  clone: CloneRule,
  route: RuleRoute,
  delete: DeleteRule,
}
type DialogName = keyof typeof DIALOGS

const NAMES: Record<DialogName, { label: string; of: string }> = {
  history: { label: 'History', of: 'History of' },
  edit: { label: 'Edit', of: 'Edit' },
  clone: { label: 'Clone', of: 'Clone' },
  route: { label: 'Route…', of: 'Route of' },
  delete: { label: 'Delete', of: 'Delete' },
}

export function RuleActions({ alert }: { alert: Alert }) {
  const { is_admin } = useOrg()
  const [open, setOpen] = useState<DialogName>()
  const Open = open && DIALOGS[open]
  const button = (name: DialogName) => (
    <Button
      size="small"
      kind="quiet"
      aria-label={`${NAMES[name].of} ${alert.name}`}
      onClick={() => setOpen(name)}
    >
      {NAMES[name].label}
    </Button>
  )
  return (
    <span class="actions">
      {button('history')}
      {is_admin && (
        <>
          {button('edit')}
          {button('clone')}
          {button('route')}
          <MuteButton
            path={`${CONSOLE_PATH}/${alert.id}/mute`}
            invalidates={[ALERTS_PATH, NOTIFICATIONS]}
            what="alert rule"
            name={alert.name}
            isMuted={isMuted(alert.muted_until)}
          />
          {button('delete')}
        </>
      )}
      {Open && <Open alert={alert} onClose={() => setOpen(undefined)} />}
    </span>
  )
}

function EditRule({ alert, onClose }: Props) {
  return <RuleDialog initial={formOf(alert)} id={alert.id} onClose={onClose} />
}

function CloneRule({ alert, onClose }: Props) {
  return (
    <RuleDialog initial={{ ...formOf(alert), name: `Copy of ${alert.name}` }} onClose={onClose} />
  )
}

/** The channels of one rule, in place of those of all log alerts. */
function RuleRoute({ alert: { id, name }, onClose }: Props) {
  const { id: org_id } = useOrg()
  const channels = useChannels().data?.channels ?? []
  const read = useRead<{ routes: ShownRoute[] }>(`${NOTIFICATIONS}/routes`, { org_id })
  return (
    <Loaded read={read} what="the routes">
      {({ routes }) => {
        const route = routes.find(({ rule_id }) => rule_id === id)
        return (
          <RouteForm
            {...(route && { route })}
            rule={{ id, name }}
            channels={channels}
            onClose={onClose}
          />
        )
      }}
    </Loaded>
  )
}

function DeleteRule({ alert, onClose }: Props) {
  const { id: org_id } = useOrg()
  const remove = useChange(
    () => ({ method: 'DELETE', path: ALERTS_PATH, query: { org_id, id: alert.id } }),
    { invalidates: [ALERTS_PATH], toast: 'Alert rule deleted', quiet: true, onSuccess: onClose },
  )
  return (
    <Confirm
      title="Delete this alert rule?"
      action="Delete alert rule"
      change={remove}
      onClose={onClose}
    >
      <p>
        <strong>{alert.name}</strong> will no longer be evaluated, and its history is deleted. This
        cannot be undone.
      </p>
    </Confirm>
  )
}
