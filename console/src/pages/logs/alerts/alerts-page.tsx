/** Alert rules, what they are doing, and how often a new one would have fired. */
import { useState } from 'preact/hooks'
import type { Alert } from '../../../../../src/modules/edge/alerts/schema.ts'
import { useChange, useRead } from '../../../api/read.ts'
import {
  Badge,
  Button,
  Confirm,
  Empty,
  Notice,
  numberText,
  Page,
  Section,
  Shown,
  Table,
  Time,
} from '../../../components/index.ts'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useMode, useOrg } from '../../../shell/organization.ts'
import { LogTabs } from '../tabs.tsx'
import { NewRule } from './new-rule.tsx'
import { conditionWords, RULE_DEFAULTS } from './rule.ts'

export const ALERTS_PATH = '/v1/edge/alerts'
const REFRESH_MS = 30_000
/** What another page may fill in. */
const DEFAULTS = { ...RULE_DEFAULTS, new: '' }

export default function AlertsPage() {
  const { id: org_id } = useOrg()
  const isTest = useMode() === 'test'
  const [given, set] = useFilters(DEFAULTS)
  const { new: isNew, ...rule } = given
  const [removed, setRemoved] = useState<Alert>()
  const read = useRead<Alert[]>(ALERTS_PATH, { org_id }, { refresh_ms: REFRESH_MS })
  return (
    <Page
      title="Alert rules"
      lead="A rule fires when so many logs of a kind happened within so many minutes"
      actions={
        <Button kind="primary" onClick={() => set({ new: '1' })}>
          New alert rule
        </Button>
      }
    >
      <LogTabs />
      {isTest && (
        <Notice>Alert rules watch live logs only; these are the same in both modes.</Notice>
      )}
      <Section title="Rules" hideTitle>
        <Shown read={read} what="alert rules">
          {(alerts) =>
            alerts.length === 0 ? (
              <Empty title="No alert rules yet">
                <p>They are judged once a minute, by the clock of the devices.</p>
                <Button onClick={() => set({ new: '1' })}>New alert rule</Button>
              </Empty>
            ) : (
              <AlertTable alerts={alerts} onRemove={setRemoved} />
            )
          }
        </Shown>
      </Section>
      {isNew !== '' && <NewRule given={rule} onClose={() => set(DEFAULTS)} />}
      {removed && <RemoveAlert alert={removed} onClose={() => setRemoved(undefined)} />}
    </Page>
  )
}

type AlertTableProps = { alerts: readonly Alert[]; onRemove: (alert: Alert) => void }

function AlertTable({ alerts, onRemove }: AlertTableProps) {
  return (
    <Table
      label="Alert rules"
      rows={alerts}
      keyOf={({ id }) => id}
      columns={[
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
          label: 'State',
          cell: ({ status }) =>
            status === 'firing' ? <Badge tone="bad">firing</Badge> : <Badge tone="good">ok</Badge>,
        },
        {
          label: 'Fires at',
          isNumber: true,
          cell: ({ threshold, window_minutes }) =>
            `${numberText(threshold)} in ${numberText(window_minutes)} min`,
        },
        {
          label: 'Last fired',
          cell: ({ last_fired_at }) =>
            last_fired_at === null ? <span class="muted">never</span> : <Time at={last_fired_at} />,
        },
        { label: 'Last resolved', cell: ({ last_resolved_at }) => <Time at={last_resolved_at} /> },
        {
          label: 'Change',
          hideLabel: true,
          cell: (alert) => (
            <Button
              size="small"
              kind="quiet"
              aria-label={`Delete ${alert.name}`}
              onClick={() => onRemove(alert)}
            >
              Delete
            </Button>
          ),
        },
      ]}
    />
  )
}

function RemoveAlert({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const { id: org_id } = useOrg()
  const remove = useChange(
    () => ({ method: 'DELETE', path: ALERTS_PATH, query: { org_id, id: alert.id } }),
    { changes: [ALERTS_PATH], done: 'Alert rule deleted', quiet: true, onDone: onClose },
  )
  return (
    <Confirm
      title="Delete this alert rule?"
      action="Delete alert rule"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>
        <strong>{alert.name}</strong> will not be judged any more, and what it found is gone. This
        cannot be taken back.
      </p>
    </Confirm>
  )
}
