/**
 * The costs of usage by part and by day of a time zone, in credits and in money, with a forecast to the end of
 * the period. An hour belongs to the day in which it begins, also in zones with half hours.
 */
import type { Clock } from '../../platform/clock.ts'
import type { Period } from '../../platform/http/period.ts'
import type { Owner } from '../../platform/owner.ts'
import { DAY_MS, HOUR_MS } from '../../platform/time-units.ts'
import type { MeterCosts, PeriodCosts } from './schema.ts'
import { VOLUME_STEPS_MAX, type Volumes } from './service.ts'

/** The forecast assumes that usage continues as in these days. */
const RATE_DAYS = 7

type HourOfMeter = { meter: string; at: number; quantity: number; credits: number }

export async function readCosts(
  { volumes, clock }: { volumes: Pick<Volumes, 'read'>; clock: Clock },
  { org_id, mode }: Owner,
  { days, from, to }: Period,
): Promise<PeriodCosts> {
  const [begin, end] = [from.getTime(), to.getTime()]
  const now = clock.now().getTime()
  const until = Math.min(now, end)
  const hasForecast = now >= begin && now < end
  const rateBegin = now - RATE_DAYS * DAY_MS
  // One reading has both, because each reads all usage that is not folded yet.
  const first = startOfHour(hasForecast ? Math.min(begin, rateBegin) : begin)
  const { hours, complete_until } = await readHours(volumes, { org_id, mode }, first, until)
  const meters = metersOf(
    hours.filter(({ at }) => at >= startOfHour(begin)),
    days.map(({ starts_at }) => starts_at.getTime()),
  )
  const total = rounded(meters.reduce((sum, { total_credits }) => sum + total_credits, 0))
  let forecast: number | null = null
  if (hasForecast) {
    const spent = hours
      .filter(({ at }) => at >= startOfHour(rateBegin))
      .reduce((sum, { credits }) => sum + credits, 0)
    forecast = rounded(total + (spent / (RATE_DAYS * DAY_MS)) * (end - now))
  }
  return {
    days: days.map(({ day }) => day),
    meters,
    total_credits: total,
    forecast_credits: forecast,
    complete_until: complete_until ?? new Date(until).toISOString(),
  }
}

async function readHours(
  volumes: Pick<Volumes, 'read'>,
  { org_id, mode }: Owner,
  begin: number,
  end: number,
): Promise<{ hours: HourOfMeter[]; complete_until: string | undefined }> {
  const hours: HourOfMeter[] = []
  let complete_until: string | undefined
  for (let start = begin; start < end; start += VOLUME_STEPS_MAX * HOUR_MS) {
    const from = new Date(start)
    const to = new Date(Math.min(end, start + VOLUME_STEPS_MAX * HOUR_MS))
    const volume = await volumes.read(org_id, mode, { from, to, step: 'hour' })
    complete_until = volume.complete_until
    for (const { meter, quantity, credits } of volume.meters) {
      for (const [step, text] of volume.starts.entries()) {
        const hour = { quantity: quantity[step] ?? 0, credits: credits[step] ?? 0 }
        if (hour.quantity > 0 || hour.credits > 0) {
          hours.push({ meter, at: Date.parse(text), ...hour })
        }
      }
    }
  }
  return { hours, complete_until }
}

function metersOf(hours: readonly HourOfMeter[], dayStarts: readonly number[]): MeterCosts[] {
  const meters = new Map<string, MeterCosts>()
  for (const { meter, at, quantity, credits } of hours) {
    const day = Math.max(
      0,
      dayStarts.findLastIndex((start) => start <= at),
    )
    const costs = meters.get(meter) ?? emptyCosts(meter, dayStarts.length)
    meters.set(meter, costs)
    costs.quantity[day] = (costs.quantity[day] ?? 0) + quantity
    costs.credits[day] = rounded((costs.credits[day] ?? 0) + credits)
    costs.total_quantity += quantity
    costs.total_credits = rounded(costs.total_credits + credits)
  }
  return [...meters.values()].toSorted((a, b) => b.total_credits - a.total_credits)
}

const emptyCosts = (meter: string, days: number): MeterCosts => ({
  meter,
  quantity: Array.from({ length: days }, () => 0),
  credits: Array.from({ length: days }, () => 0),
  total_quantity: 0,
  total_credits: 0,
})

const startOfHour = (time_ms: number): number => Math.floor(time_ms / HOUR_MS) * HOUR_MS

/** Credits have four decimals. */
const rounded = (credits: number): number => Math.round(credits * 10_000) / 10_000
