/**
 * Time spans that end now, and their grouping into days of the viewer's time zone. A day has 23 or 25
 * hours when the clocks change. In zones with a half-hour offset, a day begins with the hour that contains
 * midnight.
 */
import type { Volume, VolumeStep } from '../../../../src/modules/volume/schema.ts'

export type Span = { from: string; to: string; step: VolumeStep }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export const WINDOWS = ['24h', '7d', '30d'] as const
export type Window = (typeof WINDOWS)[number]

/** Includes the current, incomplete hour or day. */
export function spanOf(window: Window, now: Date, midnight: Midnight = localMidnight): Span {
  const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
  if (window === '24h') return spanning(hour - 23 * HOUR_MS, hour + HOUR_MS, 'hour')
  if (window === '7d') return spanning(hour - 7 * DAY_MS + HOUR_MS, hour + HOUR_MS, 'hour')
  return spanning(midnight(now, 29).getTime(), hour + HOUR_MS, 'hour')
}

/** Midnight before a time, or a number of days before that. */
export type Midnight = (time: Date, daysBefore?: number) => Date

const localMidnight: Midnight = (time, daysBefore = 0) =>
  new Date(time.getFullYear(), time.getMonth(), time.getDate() - daysBefore)

/** Sums hours into days of the viewer; the last day may be incomplete. */
export function inDays(volume: Volume, midnight: Midnight = localMidnight): Volume {
  // The midnight before the end of each hour.
  const days = volume.starts.map((start) =>
    midnight(new Date(Date.parse(start) + HOUR_MS - 1)).toISOString(),
  )
  const starts = [...new Set(days)]
  const sums = (values: readonly number[]): number[] => {
    const byDay = new Map(starts.map((day) => [day, 0]))
    for (const [index, day] of days.entries()) {
      byDay.set(day, (byDay.get(day) ?? 0) + (values[index] ?? 0))
    }
    return [...byDay.values()]
  }
  const meters = volume.meters.map((meter) => ({
    ...meter,
    quantity: sums(meter.quantity),
    credits: sums(meter.credits),
  }))
  return { ...volume, step: 'day', starts, meters, flagged_orders: sums(volume.flagged_orders) }
}

const spanning = (from: number, to: number, step: VolumeStep): Span => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  step,
})
