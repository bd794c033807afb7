/** Reads web vitals and activity over time, in as many steps as a chart can show. */

import { reachable } from '../../../platform/clickhouse/reachable.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, WEEK_MS } from '../../../platform/time-units.ts'
import type { DeviceClass } from '../device-class.ts'
import type { VitalName } from '../vitals.ts'
import type { ReadingDependencies, ReadingQuery } from './readings.ts'
import type { RumActivity, RumTrend, RumVitalTrend } from './schema.ts'
import type { Scope, SessionFilter } from './store.ts'
import { listActivity, listVitalPoints } from './trends.store.ts'

const STEPS_MS = [
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  HOUR_MS,
  3 * HOUR_MS,
  6 * HOUR_MS,
  DAY_MS,
] as const
const STEPS_MAX = 150

type Span = { from_ms: number; until_ms: number; step_ms: number }

export type RumTrends = ReturnType<typeof createRumTrends>

export function createRumTrends({ clickhouse, clock, edge_window_days }: ReadingDependencies) {
  const spanOf = (query: ReadingQuery): Span => {
    const until_ms = (query.end ?? clock.now()).getTime()
    const from_ms = query.start?.getTime() ?? until_ms - edge_window_days * DAY_MS
    return { from_ms, until_ms, step_ms: stepOf(until_ms - from_ms) }
  }
  const scopeOf = ({ org_id, mode }: ReadingQuery, { from_ms, until_ms }: Span): Scope => ({
    org_id,
    mode,
    window: { from_ms, until_ms },
  })

  return {
    vital: async (
      query: ReadingQuery,
      filter: { name: VitalName; page?: string | undefined; device?: DeviceClass | undefined },
    ): Promise<RumVitalTrend> => {
      const span = spanOf(query)
      const stepped = { ...filter, step_ms: span.step_ms }
      const listing = listVitalPoints(clickhouse, scopeOf(query, span), stepped)
      const points = (await reachable('Events', listing)).map(({ good, poor, ...row }) => ({
        ...row,
        good,
        needs_improvement: row.samples - good - poor,
        poor,
      }))
      return trendOf(span, points)
    },
    activity: async (
      query: ReadingQuery,
      filter: Omit<SessionFilter, 'limit'>,
    ): Promise<RumActivity> => {
      const span = spanOf(query)
      const stepped = { ...filter, step_ms: span.step_ms }
      const listing = listActivity(clickhouse, scopeOf(query, span), stepped)
      return trendOf(span, await reachable('Events', listing))
    },
  }
}

/** Returns the shortest step with which the span has at most `STEPS_MAX` steps. */
export const stepOf = (spanMs: number): number =>
  STEPS_MS.find((step) => spanMs / step <= STEPS_MAX) ?? WEEK_MS

function trendOf<Row extends { at_ms: number }>(
  { from_ms, until_ms, step_ms }: Span,
  rows: readonly Row[],
): RumTrend<Omit<Row, 'at_ms'>> {
  return {
    since: new Date(from_ms).toISOString(),
    until: new Date(until_ms).toISOString(),
    step_ms,
    points: rows.map(({ at_ms, ...row }) => ({ ...row, at: new Date(at_ms).toISOString() })),
  }
}
