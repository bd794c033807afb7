/** How much was used: the last seven days beside the seven before, and a chart per meter. */
import { useMemo } from 'preact/hooks'
import type { CreditsLeft } from '../../../../src/modules/attention/schema.ts'
import type { MeterVolume, Volume } from '../../../../src/modules/volume/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  Chart,
  Empty,
  Notice,
  numberText,
  percentText,
  Section,
  SelectField,
  Shown,
  Stat,
  Stats,
  Time,
} from '../../components/index.ts'
import { useFilters } from '../../shell/filters.ts'
import { useMode, useOrg } from '../../shell/organization.ts'
import styles from './home.module.css'
import { inOrder, meterText } from './meters.ts'
import { fortnight, inDays, spanOf, WINDOWS, type Window } from './spans.ts'

const REFRESH_MS = 60_000
const DAYS = 7
/** What is not folded yet is counted up to a number; the rest comes within minutes. */
const LATE_MS = 15 * 60_000
const FILTERS = { window: '30d', meter: '' }
const WINDOW_NAMES: Readonly<Record<Window, string>> = {
  '24h': 'Last 24 hours, by the hour',
  '7d': 'Last 7 days, by the hour',
  '30d': 'Last 30 days, by the day',
}

export function VolumeSection({ credits }: { credits: CreditsLeft | null }) {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const [filters, set] = useFilters<keyof typeof FILTERS>(FILTERS)
  const window = WINDOWS.find((one) => one === filters.window) ?? '30d'
  // The hour moves on while the page is open.
  const hour = Math.floor(Date.now() / 3_600_000)
  const span = useMemo(() => spanOf(window, new Date()), [window, hour])
  const weeks = useMemo(() => fortnight(new Date()), [hour])
  const options = { refresh_ms: REFRESH_MS, keep: true }
  const shown = useRead<Volume>('/console/api/volume', { org_id, mode, ...span }, options)
  const compared = useRead<Volume>('/console/api/volume', { org_id, mode, ...weeks }, options)
  const drawn = useMemo(
    () => shown.data && (window === '30d' ? inDays(shown.data) : shown.data),
    [shown.data, window],
  )
  const meters = inOrder(drawn?.meters ?? [])
  const meter = meters.find((one) => one.meter === filters.meter) ?? meters[0]
  return (
    <>
      <Section title="Last 7 days">
        <Shown read={compared} what="the last two weeks">
          {(volume) => <Weeks volume={volume} credits={credits} />}
        </Shown>
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
                options={meters.map((one) => ({ value: one.meter, label: meterText(one.meter) }))}
                onChange={(value) => set({ meter: value }, { replace: true })}
              />
            )}
            <SelectField
              label="Time"
              hideLabel
              value={window}
              options={WINDOWS.map((value) => ({ value, label: WINDOW_NAMES[value] }))}
              onChange={(value) => set({ window: value })}
            />
          </>
        }
      >
        <Shown read={shown} what="the volume">
          {(hours) => <VolumeChart volume={drawn ?? hours} meter={meter} />}
        </Shown>
      </Section>
    </>
  )
}

function Weeks({ volume, credits }: { volume: Volume; credits: CreditsLeft | null }) {
  const { meters, flagged_orders } = volume
  if (meters.length === 0 && !credits) {
    return <p>Nothing was used in the last two weeks.</p>
  }
  return (
    <Stats>
      {inOrder(meters).map(({ meter, quantity }) => (
        <Week key={meter} label={meterText(meter)} days={quantity} />
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
              ? `${numberText(credits.spent_per_day)} spent a day`
              : `${numberText(credits.spent_per_day)} spent a day: enough for ${daysText(credits.days_left)}`
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

function comparison(now: number, before: number): string {
  if (before === 0) return now === 0 ? 'as in the 7 days before' : 'none in the 7 days before'
  const change = (now - before) / before
  if (change === 0) return 'as in the 7 days before'
  return `${percentText(Math.abs(change), 0)} ${change > 0 ? 'more' : 'less'} than in the 7 days before`
}

function VolumeChart({ volume, meter }: { volume: Volume; meter: MeterVolume | undefined }) {
  if (!meter) {
    return (
      <Empty title="Nothing was used in this time">
        <p>Choose a longer time, or the other mode at the top.</p>
      </Empty>
    )
  }
  const { flagged_orders, starts, complete_until } = volume
  const isLate = Date.now() - new Date(complete_until).getTime() > LATE_MS
  const series =
    meter.meter === 'order'
      ? [
          { name: 'Flagged for review', values: flagged_orders, colour: '--bad' },
          {
            name: 'Not flagged',
            values: meter.quantity.map((count, step) => count - (flagged_orders[step] ?? 0)),
            colour: '--series-1',
          },
        ]
      : [{ name: meterText(meter.meter), values: meter.quantity }]
  return (
    <div class={styles['volume']}>
      <p class="muted">
        {numberText(meter.total_quantity)} {meterText(meter.meter).toLowerCase()} in this time
      </p>
      {isLate && (
        <Notice tone="warn">
          Counted up to <Time at={complete_until} />; what came later is added within minutes.
        </Notice>
      )}
      <Chart
        label={`${meterText(meter.meter)} per ${volume.step}`}
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
