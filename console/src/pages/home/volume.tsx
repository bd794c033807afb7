/** Usage: the last seven days compared with the previous seven, and a chart per meter. */
import { useMemo } from 'preact/hooks'
import type { CreditsLeft, Fortnight } from '../../../../src/modules/attention/schema.ts'
import type { MeterVolume, Volume } from '../../../../src/modules/volume/schema.ts'
import { useRead } from '../../api/read.ts'
import { midnightBefore } from '../../components/days.ts'
import {
  Chart,
  countText,
  Empty,
  Loaded,
  Notice,
  numberText,
  percentText,
  Section,
  SelectField,
  Stat,
  Stats,
  Time,
} from '../../components/index.ts'
import { inOrder, meterName } from '../../components/meters.ts'
import { useFilters } from '../../shell/filters.ts'
import { useScope } from '../../shell/organization.ts'
import styles from './home.module.css'
import { inDays, spanOf, WINDOWS, type Window } from './spans.ts'

const REFRESH_MS = 60_000
const DAYS = 7
/** Recent usage is counted up to a limit; beyond it, totals are updated within minutes. */
const LATE_MS = 15 * 60_000
const FILTERS = { window: '30d', meter: '' }
const WINDOW_NAMES: Readonly<Record<Window, string>> = {
  '24h': 'Last 24 hours, hourly',
  '7d': 'Last 7 days, hourly',
  '30d': 'Last 30 days, daily',
}

export function VolumeSection({
  credits,
  fortnight,
}: {
  credits: CreditsLeft | null
  fortnight: Fortnight
}) {
  const scope = useScope()
  const [filters, set] = useFilters<keyof typeof FILTERS>(FILTERS)
  const window = WINDOWS.find((one) => one === filters.window) ?? '30d'
  // Recomputed when the hour changes while the page is open.
  const hour = Math.floor(Date.now() / 3_600_000)
  const span = useMemo(() => spanOf(window, new Date(), midnightBefore), [window, hour])
  const options = { refresh_ms: REFRESH_MS, keep_previous: true }
  const shown = useRead<Volume>('/console/api/volume', { ...scope, ...span }, options)
  const drawn = useMemo(
    () => shown.data && (window === '30d' ? inDays(shown.data, midnightBefore) : shown.data),
    [shown.data, window],
  )
  const meters = inOrder(drawn?.meters ?? [])
  const meter = meters.find((one) => one.meter === filters.meter) ?? meters[0]
  return (
    <>
      <Section title="Last 7 days">
        <Weeks volume={fortnight} credits={credits} />
      </Section>
      <Section
        title="Volume"
        actions={
          <>
            {meters.length > 0 && (
              <SelectField
                label="Meter"
                hideLabel
                value={meter?.meter ?? ''}
                options={meters.map((one) => ({ value: one.meter, label: meterName(one.meter) }))}
                onChange={(value) => set({ meter: value }, { replace: true })}
              />
            )}
            <SelectField
              label="Period"
              hideLabel
              value={window}
              options={WINDOWS.map((value) => ({ value, label: WINDOW_NAMES[value] }))}
              onChange={(value) => set({ window: value })}
            />
          </>
        }
      >
        <Loaded read={shown} what="the volume">
          {(hours) => <VolumeChart volume={drawn ?? hours} meter={meter} />}
        </Loaded>
      </Section>
    </>
  )
}

function Weeks({ volume, credits }: { volume: Fortnight; credits: CreditsLeft | null }) {
  const { meters, flagged_orders } = volume
  if (meters.length === 0 && !credits) {
    return <p>No usage in the last two weeks.</p>
  }
  return (
    <Stats>
      {inOrder(meters).map(({ meter, quantity }) => (
        <Week key={meter} label={meterName(meter)} days={quantity} />
      ))}
      {sumOf(flagged_orders) > 0 && (
        <Week label="Orders flagged for review" days={flagged_orders} />
      )}
      {credits && (
        <Stat
          label="Credits left"
          value={numberText(credits.available_credits)}
          note={
            credits.days_left === null
              ? `${numberText(credits.spent_per_day)} used per day`
              : `${numberText(credits.spent_per_day)} used per day, enough for ${daysText(credits.days_left)}`
          }
        />
      )}
    </Stats>
  )
}

function Week({ label, days }: { label: string; days: readonly number[] }) {
  const [now, before] = [sumOf(days.slice(-DAYS)), sumOf(days.slice(0, DAYS))]
  return <Stat label={label} value={numberText(now)} note={comparison(now, before)} />
}

const SAME = 'about the same as the previous 7 days'
/** A smaller change would be shown as 0%. */
const LEAST_CHANGE = 0.005

function comparison(now: number, before: number): string {
  if (before === 0) return now === 0 ? SAME : 'none in the previous 7 days'
  const change = (now - before) / before
  if (Math.abs(change) < LEAST_CHANGE) return SAME
  return `${percentText(Math.abs(change), 0)} ${change > 0 ? 'more' : 'less'} than the previous 7 days`
}

function VolumeChart({ volume, meter }: { volume: Volume; meter: MeterVolume | undefined }) {
  if (!meter) {
    return (
      <Empty title="No usage in this period" picture="chart">
        <p>Select a longer period, or the other mode at the top.</p>
      </Empty>
    )
  }
  const { flagged_orders, starts, complete_until } = volume
  const name = meterName(meter.meter)
  const lowerName = /^[A-Z]{2}/.test(name) ? name : name.toLowerCase()
  const isLate = Date.now() - new Date(complete_until).getTime() > LATE_MS
  const series =
    meter.meter === 'order'
      ? [
          { name: 'Flagged for review', values: flagged_orders, color: '--danger' },
          {
            name: 'Not flagged',
            values: meter.quantity.map((count, step) => count - (flagged_orders[step] ?? 0)),
            color: '--series-1',
          },
        ]
      : [{ name, values: meter.quantity }]
  return (
    <div class={styles['volume']}>
      <p class="muted">{countText(meter.total_quantity, lowerName)} in this period</p>
      {isLate && (
        <Notice tone="warn">
          Complete up to <Time at={complete_until} />. Later usage is added within minutes.
        </Notice>
      )}
      <Chart
        label={`${name} per ${volume.step}`}
        unit={`${lowerName} per ${volume.step}`}
        kind="bars"
        times={starts.map((start) => new Date(start).getTime())}
        series={series}
        format={(value) => numberText(value, { short: true })}
      />
    </div>
  )
}

const daysText = (days: number): string =>
  days < 1 ? 'less than a day' : days < 2 ? 'one day' : `${numberText(Math.floor(days))} days`

const sumOf = (numbers: readonly number[]): number =>
  numbers.reduce((sum, number) => sum + number, 0)
