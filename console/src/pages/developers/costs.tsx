/** The costs of a month or another period: total, forecast, by part and by day. */
import type { MeterCosts, PricedCosts } from '../../../../src/modules/volume/schema.ts'
import { boundsOf } from '../../components/days.ts'
import {
  Chart,
  Empty,
  Loaded,
  Notice,
  numberText,
  Section,
  SelectField,
  Stat,
  Stats,
  Table,
  TextField,
  Time,
  Toolbar,
} from '../../components/index.ts'
import { meterName } from '../../components/meters.ts'
import { zoneName } from '../../components/zone.ts'
import { useFilters } from '../../shell/filters.ts'
import { KeyCostsTable } from './key-costs.tsx'
import { moneyText } from './money.ts'
import { useCosts } from './month-costs.ts'
import { monthsUntil, OTHER, periodOf } from './periods.ts'
import { SaveCsv } from './save-csv.tsx'

const CREDITS = { digits: 4 }

export function Costs() {
  const [{ month, from, to }, setFilters] = useFilters({ month: '', from: '', to: '' })
  const now = new Date()
  const period = periodOf({ month, from, to }, now)
  const costs = useCosts(period)
  return (
    <Section title="Costs">
      <Toolbar label="Choose a period">
        <SelectField
          label="Month"
          value={month}
          options={monthsUntil(now)}
          onChange={(value) =>
            setFilters({ month: value, ...(value === OTHER ? period : NO_DAYS) })
          }
        />
        {month === OTHER && (
          <>
            <TextField
              label="First day"
              type="date"
              value={from}
              onChange={(value) => setFilters({ from: value })}
            />
            <TextField
              label="Last day"
              type="date"
              value={to}
              onChange={(value) => setFilters({ to: value })}
            />
          </>
        )}
        <SaveCsv period={period} what="costs" />
        <SaveCsv period={period} what="ledger" />
      </Toolbar>
      <Loaded read={costs} what="costs">
        {(loaded) => <Period costs={loaded} />}
      </Loaded>
    </Section>
  )
}

const NO_DAYS = { from: '', to: '' }

function Period({ costs }: { costs: PricedCosts }) {
  const { days, meters, total_credits, forecast_credits, price } = costs
  const creditsText = (credits: number) => `${numberText(credits, CREDITS)} credits`
  const text = (credits: number) =>
    price === null ? creditsText(credits) : moneyText(credits, price)
  const note = (credits: number) => (price === null ? undefined : creditsText(credits))
  return (
    <>
      <Stats>
        <Stat
          label={forecast_credits === null ? 'Total' : 'So far'}
          value={text(total_credits)}
          note={note(total_credits)}
        />
        {forecast_credits !== null && (
          <Stat
            label="Forecast for the whole period"
            value={text(forecast_credits)}
            note="If usage continues as in the last seven days"
          />
        )}
        {meters[0] !== undefined && meters[0].total_credits > 0 && (
          <Stat
            label="Largest part"
            value={meterName(meters[0].meter)}
            note={text(meters[0].total_credits)}
          />
        )}
      </Stats>
      {price === null && (
        <Notice>
          This installation has no price for credits, so costs are in credits. The operator sets it
          with <code>VIGIL_CREDIT_PRICE_STARTER</code> and the other plans.
        </Notice>
      )}
      {meters.length === 0 ? (
        <Empty title="No usage in this period">
          <p>Usage of live keys appears moments after the request.</p>
        </Empty>
      ) : (
        <>
          <Chart
            label="Costs by day, in credits"
            unit="credits per day"
            kind="bars"
            times={days.map((day) => Date.parse(`${day}T00:00:00`))}
            range={rangeOf(days)}
            series={meters.map(({ meter, credits }) => ({
              name: meterName(meter),
              values: credits,
            }))}
          />
          <Table
            label="Costs by part"
            rows={meters}
            keyOf={({ meter }) => meter}
            columns={[
              { label: 'Part', isWide: true, cell: ({ meter }: MeterCosts) => meterName(meter) },
              { label: 'Quantity', isNumber: true, cell: ({ total_quantity }) => total_quantity },
              {
                label: 'Credits',
                isNumber: true,
                cell: (part) => numberText(part.total_credits, CREDITS),
              },
              ...(price === null
                ? []
                : [
                    {
                      label: 'Amount',
                      isNumber: true,
                      cell: (part: MeterCosts) => moneyText(part.total_credits, price),
                    },
                  ]),
            ]}
          />
          <KeyCostsTable keys={costs.keys} price={price} />
          <p class="muted">
            Days begin at midnight in the time zone {zoneName()}. Complete until{' '}
            <Time at={costs.complete_until} />.
          </p>
        </>
      )}
    </>
  )
}

const rangeOf = (days: readonly string[]): [number, number] => {
  const [first, last] = [boundsOf(days[0] ?? ''), boundsOf(days.at(-1) ?? '')]
  return [first?.start.getTime() ?? 0, last?.end.getTime() ?? 0]
}
