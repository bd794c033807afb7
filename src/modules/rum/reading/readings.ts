/** Reads web vitals, pages, errors and sessions for the console. */

import type { ClickHouse } from '../../../platform/clickhouse/client.ts'
import { reachable } from '../../../platform/clickhouse/reachable.ts'
import type { Clock } from '../../../platform/clock.ts'
import { windowBetween } from '../../../platform/date-range.ts'
import { parseExact } from '../../../platform/exact-json.ts'
import type { Owner } from '../../../platform/owner.ts'
import { HOUR_MS } from '../../../platform/time-units.ts'
import { messageTemplate } from '../../error-groups/index.ts'
import type { DeviceClass } from '../device-class.ts'
import { rate } from '../vitals.ts'
import type {
  RumError,
  RumErrorCase,
  RumPage,
  RumSession,
  RumSessionTimeline,
  RumVital,
  RumVitals,
} from './schema.ts'
import {
  type ErrorRow,
  type EventOfSession,
  findErrorExample,
  listErrors,
  listEvents,
  listPages,
  listSessionIds,
  listSessions,
  listVitals,
  type PageRow,
  type Scope,
  type SessionFilter,
  type SessionRow,
  type VitalRow,
} from './store.ts'

export type ReadingDependencies = { clickhouse: ClickHouse; clock: Clock; edge_window_days: number }

/** Without dates, events received within the last `edge_window_days` days are read. */
export type ReadingQuery = Owner & { start?: Date | undefined; end?: Date | undefined }

const PAGES_MAX = 100
/** Periods that are searched for the latest sessions, one after another until there are enough. */
const STRETCHES_MS = [HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS]

export type RumReadings = ReturnType<typeof createRumReadings>

export function createRumReadings({ clickhouse, clock, edge_window_days }: ReadingDependencies) {
  const scopeOf = ({ org_id, mode, start, end }: ReadingQuery): Scope => ({
    org_id,
    mode,
    window: windowBetween(
      { start_ms: start?.getTime(), end_ms: end?.getTime() },
      clock.now(),
      edge_window_days,
    ),
  })
  return {
    vitals: async (
      query: ReadingQuery,
      filter: { page?: string | undefined; device?: DeviceClass | undefined },
    ): Promise<RumVitals> => {
      const limited = { ...filter, pages_max: PAGES_MAX }
      const rows = await reachable('Events', listVitals(clickhouse, scopeOf(query), limited))
      return vitalsOf(rows)
    },
    pages: async (query: ReadingQuery, limit: number): Promise<RumPage[]> =>
      (await reachable('Events', listPages(clickhouse, scopeOf(query), limit))).map(pageOf),
    errors: async (
      query: ReadingQuery,
      filter: { page?: string | undefined; limit: number },
    ): Promise<RumError[]> =>
      (await reachable('Events', listErrors(clickhouse, scopeOf(query), filter))).map(errorOf),
    /** @returns undefined without an error of the group in the window */
    error: async (query: ReadingQuery, fingerprint: string): Promise<RumErrorCase | undefined> => {
      const scope = scopeOf(query)
      const [[group], example] = await reachable(
        'Events',
        Promise.all([
          listErrors(clickhouse, scope, { fingerprint, limit: 1 }),
          findErrorExample(clickhouse, scope, fingerprint),
        ]),
      )
      if (!group || !example) return undefined
      const event = parseExact(example.event) as Record<string, unknown>
      return { ...errorOf(group), example: { ...example, event } }
    },
    sessions: async (query: ReadingQuery, filter: SessionFilter): Promise<RumSession[]> => {
      const scope = scopeOf(query)
      const latest = latestSessions(clickhouse, scope, { ...filter, now: clock.now() })
      const ids = await reachable('Events', latest)
      if (ids.length === 0) return []
      return (await reachable('Events', listSessions(clickhouse, scope, ids))).map(sessionOf)
    },
    /** @returns undefined without an event of the session in the window */
    session: async (
      query: ReadingQuery,
      sessionId: string,
      limit: number,
    ): Promise<RumSessionTimeline | undefined> => {
      const scope = scopeOf(query)
      const [found] = await reachable('Events', listSessions(clickhouse, scope, [sessionId]))
      if (!found) return undefined
      const listing = listEvents(clickhouse, scope, { session_id: sessionId, limit })
      const rows = await reachable('Events', listing)
      return { ...sessionOf(found), timeline: rows.map(eventOf) }
    },
  }
}

/** The result is exact: a session with an event in a period is later than all sessions without. */
async function latestSessions(
  clickhouse: ClickHouse,
  scope: Scope,
  { now, ...filter }: SessionFilter & { now: Date },
): Promise<string[]> {
  const { from_ms, until_ms: end_ms = now.getTime() } = scope.window
  for (const stretch of STRETCHES_MS) {
    const since_ms = end_ms - stretch
    if (from_ms !== undefined && since_ms <= from_ms) break
    const ids = await listSessionIds(clickhouse, scope, { ...filter, since_ms })
    if (ids.length === filter.limit) return ids
  }
  return await listSessionIds(clickhouse, scope, { ...filter, since_ms: undefined })
}

function vitalsOf(rows: readonly VitalRow[]): RumVitals {
  const pages = new Map<string, RumVital[]>()
  for (const row of rows) {
    if (row.is_overall === 1 || row.page === '') continue
    const vitals = pages.get(row.page) ?? []
    vitals.push(vitalOf(row))
    pages.set(row.page, vitals)
  }
  return {
    overall: rows.filter((row) => row.is_overall === 1).map(vitalOf),
    pages: [...pages].slice(0, PAGES_MAX).map(([page, vitals]) => ({ page, vitals })),
  }
}

const vitalOf = ({ name, p75, samples, good, poor }: VitalRow): RumVital => ({
  name,
  p75,
  rating: rate(name, p75),
  samples,
  good: percent(good, samples),
  needs_improvement: percent(samples - good - poor, samples),
  poor: percent(poor, samples),
})

const percent = (part: number, whole: number): number => Math.round((part / whole) * 10_000) / 100

const pageOf = ({ lcp_p75, lcp_samples, ...counts }: PageRow) => ({
  ...counts,
  lcp_p75: lcp_samples === 0 ? null : lcp_p75,
  lcp_samples,
})

const errorOf = ({ first_ms, last_ms, ...group }: ErrorRow) => ({
  ...group,
  title: messageTemplate(group.message),
  first_seen: timeOf(first_ms),
  last_seen: timeOf(last_ms),
})

const sessionOf = ({ first_ms, last_ms, device_class, ...session }: SessionRow) => ({
  ...session,
  device_class: device_class === '' ? null : device_class,
  first_seen: timeOf(first_ms),
  last_seen: timeOf(last_ms),
})

const eventOf = ({ timestamp_ms, received_ms, event, ...row }: EventOfSession) => ({
  ...row,
  timestamp: timeOf(timestamp_ms),
  received_at: timeOf(received_ms),
  event: parseExact(event) as Record<string, unknown>,
})

const timeOf = (ms: number): string => new Date(ms).toISOString()
