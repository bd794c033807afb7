import type {
  Credits as CreditsShown,
  LedgerEntry,
  LedgerPage,
} from '../../../../src/modules/billing/schema.ts'
import type { MeterVolume, Volume } from '../../../../src/modules/volume/schema.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { usePages, useRead } from '../../api/read.ts'
import {
  Chart,
  countText,
  Empty,
  ListSection,
  Loaded,
  Notice,
  numberText,
  Page,
  Section,
  SelectField,
  Stat,
  Stats,
  Table,
  Time,
  Toolbar,
} from '../../components/index.ts'
import { meterName } from '../../components/meters.ts'
import type { Column } from '../../components/table.tsx'
import { useFilters } from '../../shell/filters.ts'
import { useOrg, useScope } from '../../shell/organization.ts'
import { DAY_MS } from '../../time-units.ts'
import { Costs } from './costs.tsx'
import { LowBalance } from './low-balance.tsx'

const CREDITS = { digits: 4 }
const DAYS = [
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
] as const
const SHOWN = [
  { value: 'quantity', label: 'Quantity' },
  { value: 'credits', label: 'Credits' },
] as const

export default function Usage() {
  const { is_admin } = useOrg()
  return (
    <Page title="Usage and credits" lead="Daily usage, its cost, and the remaining credits">
      {is_admin ? (
        <>
          <Costs />
          <Credits />
        </>
      ) : (
        <Notice>Only owners and admins can see credits and the ledger.</Notice>
      )}
      <UsageByDay />
      {is_admin && <Ledger />}
    </Page>
  )
}

function Credits() {
  const { id: org_id } = useOrg()
  const credits = useRead<CreditsShown>('/console/api/credits', { org_id })
  return (
    <Section title="Credits">
      <Loaded read={credits} what="credits">
        {({ available_credits, balance_credits, unposted_usage_credits, low_balance_credits }) => (
          <>
            <Stats>
              <Stat label="Available" value={numberText(available_credits, CREDITS)} />
              <Stat
                label="Balance"
                value={numberText(balance_credits, CREDITS)}
                note="See the ledger below"
              />
              <Stat
                label="Pending usage"
                value={numberText(unposted_usage_credits, CREDITS)}
                note="Debited within minutes"
              />
            </Stats>
            {available_credits <= 0 && (
              <Notice tone="warn">
                No credits are left. The operator of this service can grant more with{' '}
                <code>vigil credits grant</code>.
              </Notice>
            )}
            <LowBalance key={low_balance_credits} level={low_balance_credits} />
          </>
        )}
      </Loaded>
    </Section>
  )
}

function UsageByDay() {
  const { org_id, mode } = useScope()
  const [{ days, shown }, setFilters] = useFilters({ days: '30', shown: 'quantity' })
  const usage = useRead<Volume>(
    '/console/api/usage',
    { org_id, mode, days },
    { keep_previous: true },
  )
  return (
    <Section title={mode === 'test' ? 'Usage by day, test data' : 'Usage by day'}>
      <Toolbar label="Filter usage">
        <SelectField
          label="Period"
          value={days}
          options={DAYS}
          onChange={(value) => setFilters({ days: value })}
        />
        {mode === 'live' && (
          <SelectField
            label="Show"
            value={shown}
            options={SHOWN}
            onChange={(value) => setFilters({ shown: value })}
          />
        )}
      </Toolbar>
      <Loaded read={usage} what="usage">
        {({ starts, meters }) =>
          meters.length === 0 ? (
            <Empty title="No usage in this period" picture="chart">
              <p>Usage appears moments after the first request.</p>
            </Empty>
          ) : (
            <>
              <Chart
                label="Usage by day"
                unit={mode === 'live' && shown === 'credits' ? 'credits per day' : 'units per day'}
                kind="bars"
                times={starts.map((start) => Date.parse(start))}
                range={rangeOf(starts)}
                series={meters.map((meter) => ({
                  name: meterName(meter.meter),
                  values: mode === 'live' && shown === 'credits' ? meter.credits : meter.quantity,
                }))}
              />
              <Totals meters={meters} />
              <p class="muted">Days begin at midnight UTC. Test data costs nothing.</p>
            </>
          )
        }
      </Loaded>
    </Section>
  )
}

/** Extends to the end of the last day, because a bar begins at its time. */
const rangeOf = (starts: readonly string[]): [number, number] => [
  Date.parse(starts[0] ?? ''),
  Date.parse(starts.at(-1) ?? '') + DAY_MS,
]

const Totals = ({ meters }: { meters: readonly MeterVolume[] }) => (
  <Table
    label="Total usage"
    rows={meters}
    keyOf={({ meter }) => meter}
    columns={[
      { label: 'Meter', isWide: true, cell: ({ meter }) => meterName(meter) },
      { label: 'Quantity', isNumber: true, cell: ({ total_quantity }) => total_quantity },
      {
        label: 'Credits',
        isNumber: true,
        cell: ({ total_credits }) => numberText(total_credits, CREDITS),
      },
    ]}
  />
)

function Ledger() {
  const { id: org_id } = useOrg()
  const pages = usePages<LedgerPage>('/console/api/ledger', { org_id })
  return (
    <ListSection
      title="Ledger"
      label="Ledger"
      list={rowsOfPages(pages, ({ entries }) => entries)}
      what="ledger entries"
      columns={LEDGER_COLUMNS}
      keyOf={({ id }) => id}
      empty={<p>Grants appear immediately, usage within minutes.</p>}
    />
  )
}

const usageText = (usage: LedgerEntry['usage']): string =>
  usage
    .map(({ meter, quantity, credits }) =>
      [countText(quantity, meterName(meter).toLowerCase()), numberText(credits, CREDITS)].join(
        ': ',
      ),
    )
    .join(', ')

const LEDGER_COLUMNS: readonly Column<LedgerEntry>[] = [
  { label: 'Time', cell: ({ at }) => <Time at={at} /> },
  { label: 'Reason', cell: ({ reason }) => reason },
  { label: 'For', isWide: true, cell: ({ usage }) => usageText(usage) },
  {
    label: 'Credits',
    isNumber: true,
    cell: ({ credits }) => `${credits > 0 ? '+' : ''}${numberText(credits, CREDITS)}`,
  },
  {
    label: 'Balance after',
    isNumber: true,
    cell: ({ balance_credits }) => numberText(balance_credits, CREDITS),
  },
]
