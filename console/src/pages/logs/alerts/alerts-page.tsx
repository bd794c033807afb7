import type { Alert } from '../../../../../src/modules/edge/alerts/schema.ts'
import { useRead } from '../../../api/read.ts'
import { Badge, Button, ListPage, Notice, Time } from '../../../components/index.ts'
import type { Column } from '../../../components/table.tsx'
import type { Batch } from '../../../components/tables/batch.tsx'
import { useFilters } from '../../../shell/filters.ts'
import { PageLink } from '../../../shell/links.tsx'
import { useMode, useOrg } from '../../../shell/organization.ts'
import { NOTIFICATIONS } from '../../notifications/api.ts'
import { isMuted } from '../../notifications/mute.tsx'
import { LogTabs } from '../tabs.tsx'
import { ALERTS_PATH, CONSOLE_PATH, conditionWords, RULE_DEFAULTS, thresholdText } from './rule.ts'
import { RuleActions } from './rule-actions.tsx'
import { RuleDialog } from './rule-form.tsx'

const REFRESH_MS = 30_000
/** Links of other pages open the form with these values. */
const DEFAULTS = { ...RULE_DEFAULTS, new: '' }

export default function AlertsPage() {
  const { id: org_id, is_admin } = useOrg()
  const isTest = useMode() === 'test'
  const [values, set] = useFilters(DEFAULTS)
  const { new: isNew, ...initial } = values
  const list = useRead<Alert[]>(ALERTS_PATH, { org_id }, { refresh_ms: REFRESH_MS })
  const newRule = (kind?: 'primary') =>
    is_admin && (
      <Button {...(kind && { kind })} onClick={() => set({ new: '1' })}>
        New alert rule
      </Button>
    )
  return (
    <ListPage
      title="Log alerts"
      lead="Rules that notify when logs reach a threshold within a time window, or are missing"
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
          cell: (alert) => <RuleActions alert={alert} />,
        },
      ]}
      keyOf={({ id }) => id}
      batch={is_admin ? batchOf(org_id) : undefined}
      empty={
        <>
          <p>Rules are evaluated once a minute, based on the timestamps of the logs.</p>
          {is_admin ? newRule() : <p>Owners and admins can add rules.</p>}
        </>
      }
    >
      {isNew !== '' && is_admin && <RuleDialog initial={initial} onClose={() => set(DEFAULTS)} />}
    </ListPage>
  )
}

const DAY_MINUTES = 1440

function batchOf(org_id: string): Batch<Alert> {
  const mute = (minutes: number) => (alert: Alert) =>
    ({
      method: 'POST',
      path: `${CONSOLE_PATH}/${alert.id}/mute`,
      body: { org_id, minutes },
    }) as const
  return {
    nameOf: ({ name }) => name,
    actions: [
      {
        label: 'Mute for a day',
        effect: 'Nothing is sent for a day. What lasts then is sent then.',
        callOf: mute(DAY_MINUTES),
      },
      {
        label: 'Unmute',
        effect: 'The rules notify again.',
        appliesTo: ({ muted_until }) => isMuted(muted_until),
        callOf: mute(0),
      },
      {
        label: 'Delete',
        isDanger: true,
        effect:
          'The rules are no longer evaluated, and their history is deleted. This cannot be undone.',
        callOf: ({ id }) => ({ method: 'DELETE', path: ALERTS_PATH, query: { org_id, id } }),
      },
    ],
    invalidates: [ALERTS_PATH, NOTIFICATIONS],
  }
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
    cell: ({ status, muted_until }) => (
      <>
        {status === 'firing' ? <Badge tone="bad">firing</Badge> : <Badge tone="good">ok</Badge>}
        {isMuted(muted_until) && (
          <div>
            <Badge tone="warn">muted</Badge> until <Time at={muted_until} />
          </div>
        )}
      </>
    ),
  },
  { label: 'Threshold', isNumber: true, cell: thresholdText },
  {
    label: 'Last fired',
    cell: ({ last_fired_at }) =>
      last_fired_at === null ? <span class="muted">never</span> : <Time at={last_fired_at} />,
  },
  { label: 'Last resolved', cell: ({ last_resolved_at }) => <Time at={last_resolved_at} /> },
]
