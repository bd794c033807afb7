/** Web vitals and what was done, over time: as many steps as a picture has room for. */
import type { ClickHouse } from '../../../../platform/clickhouse/client.ts'
import { reachable } from '../../../../platform/clickhouse/reachable.ts'
import type { Clock } from '../../../../platform/clock.ts'
import type { DeviceClass } from '../../device-class.ts'
import type { VitalName } from '../../vitals.ts'
import type { ReadingQuery } from '../readings.ts'
import type { RumActivity, RumTrend, RumVitalTrend } from '../schema.ts'
import type { Scope } from '../store.ts'
import { listActivity, listVitalPoints } from './store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const STEPS_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
] as const
const WEEK_MS = 7 * DAY_MS
const STEPS_MAX = 150

export type RumTrends = ReturnType<typeof createRumTrends>

export function createRumTrends(deps: {
  clickhouse: ClickHouse
  clock: Clock
  edge_window_days: number
}) {
  const { clickhouse, clock, edge_window_days } = deps
  const spanOf = (query: ReadingQuery) => {
    const until_ms = (query.end ?? clock.now()).getTime()
    const from_ms = query.start?.getTime() ?? until_ms - edge_window_days * DAY_MS
    return { from_ms, until_ms, step_ms: stepOf(until_ms - from_ms) }
  }
  const scopeOf = (
    { org_id, mode }: ReadingQuery,
    { from_ms, until_ms }: { from_ms: number; until_ms: number },
  ): Scope => ({ org_id, mode, window: { from_ms, until_ms } })

  return {
    vital: async (
      query: ReadingQuery,
      filter: { name: VitalName; page?: string | undefined; device?: DeviceClass | undefined },
    ): Promise<RumVitalTrend> => {
      const span = spanOf(query)
      const asked = { ...filter, step_ms: span.step_ms }
      const rows = await reachable(
        'Events',
        listVitalPoints(clickhouse, scopeOf(query, span), asked),
      )
      const points = rows.map(({ good, poor, ...row }) => ({
        ...row,
        good,
        needs_improvement: row.samples - good - poor,
        poor,
      }))
      return toldTrend(span, points)
    },
    activity: async (
      query: ReadingQuery,
      filter: { page?: string | undefined; error_fingerprint?: string | undefined },
    ): Promise<RumActivity> => {
      const span = spanOf(query)
      const asked = { ...filter, step_ms: span.step_ms }
      const rows = await reachable('Events', listActivity(clickhouse, scopeOf(query, span), asked))
      return toldTrend(span, rows)
    },
  }
}

/** The shortest that makes no more steps than fit. */
export const stepOf = (spanMs: number): number =>
  STEPS_MS.find((step) => spanMs / step <= STEPS_MAX) ?? WEEK_MS

function toldTrend<Row extends { at_ms: number }>(
  { from_ms, until_ms, step_ms }: { from_ms: number; until_ms: number; step_ms: number },
  rows: readonly Row[],
): RumTrend<Omit<Row, 'at_ms'>> {
  return {
    since: new Date(from_ms).toISOString(),
    until: new Date(until_ms).toISOString(),
    step_ms,
    points: rows.map(({ at_ms, ...row }) => ({ ...row, at: new Date(at_ms).toISOString() })),
  }
}
