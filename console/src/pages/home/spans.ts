/** Spans of time that end now, in steps that begin where the viewer's days and hours begin. */
import type { VolumeStep } from '../../../../src/modules/volume/schema.ts'

export type Span = { from: string; to: string; step: VolumeStep }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

export const WINDOWS = ['24h', '7d', '30d'] as const
export type Window = (typeof WINDOWS)[number]

/** With the hour or day that is not over yet. */
export function spanOf(window: Window, now: Date): Span {
  const hour = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS
  if (window === '24h') return spanning(hour - 23 * HOUR_MS, hour + HOUR_MS, 'hour')
  if (window === '7d') return spanning(hour - 7 * DAY_MS + HOUR_MS, hour + HOUR_MS, 'hour')
  const today = new Date(now)
  today.setHours(0, 0, 0, 0)
  return spanning(today.getTime() - 29 * DAY_MS, today.getTime() + DAY_MS, 'day')
}

/** Fourteen days that end with this hour: the last seven, and those before. */
export function fortnight(now: Date): Span {
  const until = Math.floor(now.getTime() / HOUR_MS) * HOUR_MS + HOUR_MS
  return spanning(until - 14 * DAY_MS, until, 'day')
}

const spanning = (from: number, to: number, step: VolumeStep): Span => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
  step,
})
