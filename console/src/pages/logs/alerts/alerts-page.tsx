import { useState } from 'preact/hooks'
import type { Alert } from '../../../../../src/modules/edge/alerts/schema.ts'
import { useChange, useRead } from '../../../api/read.ts'
import { Badge, Button, Confirm, ListPage, Notice, Time } from '../../../components/index.ts'
import type { Column } from '../../../components/table.tsx'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useMode, useOrg } from '../../../shell/organization.ts'
import { LogTabs } from '../tabs.tsx'
import { NewRule } from './new-rule.tsx'
import { ALERTS_PATH, conditionWords, RULE_DEFAULTS, thresholdText } from './rule.ts'

const REFRESH_MS = 30_000
/** Links of other pages open the form with these values. */
const DEFAULTS = { ...RULE_DEFAULTS, new: '' }

export default function AlertsPage() {
  const { id: org_id } = useOrg()
  const isTest = useMode() === 'test'
  const [values, set] = useFilters(DEFAULTS)
  const { new: isNew, ...initial } = values
  const [removed, setRemoved] = useState<Alert>()
  const list = useRead<Alert[]>(ALERTS_PATH, { org_id }, { refresh_ms: REFRESH_MS })
  const newRule = (kind?: 'primary') => (
    <Button {...(kind && { kind })} onClick={() => set({ new: '1' })}>
      New alert rule
    </Button>
  )
  return (
    <ListPage
      title="Log alerts"
      lead="Get alerted when matching logs exceed a threshold within a time window"
      actions={newRule('primary')}
      tabs={
        <>
          <LogTabs />
          {isTest && (
            <Notice>Log alerts watch live logs only. Both modes show the same rules.</Notice>
          )}
        </>
      }
      list={list}
      what="alert rules"
      columns={[
        ...COLUMNS,
        {
          label: 'Actions',
          hideLabel: true,
          cell: (alert) => (
            <Button
              size="small"
              kind="quiet"
              aria-label={`Delete ${alert.name}`}
              onClick={() => setRemoved(alert)}
            >
              Delete
            </Button>
          ),
        },
      ]}
      keyOf={({ id }) => id}
      empty={
        <>
          <p>Rules are evaluated once a minute, based on the timestamps of the logs.</p>
          {newRule()}
        </>
      }
    >
      {isNew !== '' && <NewRule initial={initial} onClose={() => set(DEFAULTS)} />}
      {removed && <DeleteRule alert={removed} onClose={() => setRemoved(undefined)} />}
    </ListPage>
  )
}

const COLUMNS: readonly Column<Alert>[] = [
  {
    label: 'Rule',
    isWide: true,
    cell: ({ name, condition }) => (
      <>
        <strong>{name}</strong>
        <div class="muted">
          <PageLink to="/logs" query={condition}>
            {conditionWords(condition)}
          </PageLink>
        </div>
      </>
    ),
  },
  {
    label: 'Status',
    cell: ({ status }) =>
      status === 'firing' ? <Badge tone="bad">firing</Badge> : <Badge tone="good">ok</Badge>,
  },
  { label: 'Threshold', isNumber: true, cell: thresholdText },
  {
    label: 'Last fired',
    cell: ({ last_fired_at }) =>
      last_fired_at === null ? <span class="muted">never</span> : <Time at={last_fired_at} />,
  },
  { label: 'Last resolved', cell: ({ last_resolved_at }) => <Time at={last_resolved_at} /> },
]

function DeleteRule({ alert, onClose }: { alert: Alert; onClose: () => void }) {
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
