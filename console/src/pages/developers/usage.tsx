/** What was used by the day, the credits that are left, and what moved them. */
import type { FundsInCredits } from '../../../../src/modules/billing/schema.ts'
import type { MeterVolume, Volume } from '../../../../src/modules/volume/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  Chart,
  Empty,
  Notice,
  numberText,
  Page,
  Section,
  SelectField,
  Shown,
  Stat,
  Stats,
  Table,
  Toolbar,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { useMode, useOrg } from '../../shell/organization.ts'
import { Ledger } from './ledger.tsx'
import { meterName } from './words.ts'

const DAY_MS = 86_400_000
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
    <Page title="Usage and credits" lead="What was used, what it cost, and what is left">
      {is_admin ? (
        <Credits />
      ) : (
        <Notice>Owners and admins see the credits and what moved them.</Notice>
      )}
      <UsageByDay />
      {is_admin && <Ledger />}
    </Page>
  )
}

function Credits() {
  const { id: org_id } = useOrg()
  const credits = useRead<FundsInCredits>('/console/api/credits', { org_id })
  return (
    <Section title="Credits">
      <Shown read={credits} what="credits">
        {({ available_credits, balance_credits, unposted_usage_credits }) => (
          <>
            <Stats>
              <Stat label="Available" value={numberText(available_credits, { digits: 4 })} />
              <Stat
                label="Balance"
                value={numberText(balance_credits, { digits: 4 })}
                note="As in the ledger below"
              />
              <Stat
                label="Used since"
                value={numberText(unposted_usage_credits, { digits: 4 })}
                note="Debited within minutes"
              />
            </Stats>
            {available_credits <= 0 && (
              <Notice tone="warn">
                No credits are left. Whoever runs this service grants them with{' '}
                <code>vigil credits grant</code>.
              </Notice>
            )}
          </>
        )}
      </Shown>
    </Section>
  )
}

function UsageByDay() {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const [{ days, shown }, setFilters] = useFilters({ days: '30', shown: 'quantity' })
  const usage = useRead<Volume>('/console/api/usage', { org_id, mode, days }, { keep: true })
  return (
    <Section title={mode === 'test' ? 'Usage by day, test data' : 'Usage by day'}>
      <Toolbar label="Filter usage">
        <SelectField
          label="Time"
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
      <Shown read={usage} what="usage">
        {({ starts, meters }) =>
          meters.length === 0 ? (
            <Empty title="Nothing was used in this time">
              <p>It appears here moments after the first request.</p>
            </Empty>
          ) : (
            <>
              <Chart
                label="Usage by day"
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
      </Shown>
    </Section>
  )
}

/** Until the last day ends, whose bar begins with it. */
const rangeOf = (starts: readonly string[]): [number, number] => [
  Date.parse(starts[0] ?? ''),
  Date.parse(starts.at(-1) ?? '') + DAY_MS,
]

const Totals = ({ meters }: { meters: readonly MeterVolume[] }) => (
  <Table
    label="Usage in all"
    rows={meters}
    keyOf={({ meter }) => meter}
    columns={[
      { label: 'What', isWide: true, cell: ({ meter }) => meterName(meter) },
      {
        label: 'Quantity',
        isNumber: true,
        cell: ({ total_quantity }) => numberText(total_quantity),
      },
      {
        label: 'Credits',
        isNumber: true,
        cell: ({ total_credits }) => numberText(total_credits, { digits: 4 }),
      },
    ]}
  />
)
