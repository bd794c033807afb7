/** Queries of RUM events in ClickHouse. Times are the events' own, in milliseconds since 1970. */
import type { ClickHouse } from '../../../platform/clickhouse/client.ts'
import type { Window } from '../../../platform/date-range.ts'
import type { Mode } from '../../../platform/owner.ts'
import type { DeviceClass } from '../device-class.ts'
import { THRESHOLDS, VITALS, type VitalName } from '../vitals.ts'
import type { RumError, RumPage, RumSession, RumTimelineEvent, RumVital } from './schema.ts'

export type Scope = { org_id: string; mode: Mode; window: Window }

/**
 * Orders events by time, and by order of receipt at the same time. It is one number, because the
 * engine takes three times as long for a tuple; and UUIDs themselves sort by their second half there.
 */
const LATER = 'bitShiftLeft(toInt256(timestamp_ms), 128) + toUInt128(id)'

type Params = Record<string, unknown>
type Condition = { sql: string; params: Params }

export type VitalRow = Pick<RumVital, 'name' | 'p75' | 'samples' | 'good' | 'poor'> & {
  page: string
  /** 1 for the row over all pages. */
  is_overall: 0 | 1
}

/**
 * Lists the rows over all pages first, then the pages by their number of samples. The rows of a page
 * are adjacent, so that the first `pages_max` pages are complete.
 */
export async function listVitals(
  clickhouse: ClickHouse,
  scope: Scope,
  filter: { page?: string | undefined; device?: DeviceClass | undefined; pages_max: number },
): Promise<VitalRow[]> {
  const samples = samplesIn(scope, { device: filter.device })
  const isOfPage = filter.page === undefined ? '1' : 'sample_page = {page:String}'
  return await clickhouse.query<VitalRow>(
    `${samples.sql}
    select name, sample_page as page, grouping(sample_page) as is_overall,
      quantileExactInclusive(0.75)(value) as p75, count() as samples,
      countIf(value <= transform(name, {names:Array(String)}, {good:Array(Float64)}, 0.)) as good,
      countIf(value > transform(name, {names:Array(String)}, {poor:Array(Float64)}, 0.)) as poor
    from samples
    where ${isOfPage}
    group by grouping sets ((name), (name, sample_page))
    order by is_overall desc, sum(count()) over (partition by is_overall, page) desc, page, name
    limit {rows_max:UInt32}`,
    {
      ...samples.params,
      ...(filter.page !== undefined && { page: filter.page }),
      good: VITALS.map((name) => THRESHOLDS[name].good),
      poor: VITALS.map((name) => THRESHOLDS[name].poor),
      rows_max: VITALS.length * (filter.pages_max + 1),
    },
  )
}

export type PageRow = Omit<RumPage, 'lcp_p75'> & { lcp_p75: number }

/** Lists the most viewed pages first. */
export async function listPages(clickhouse: ClickHouse, scope: Scope, limit: number) {
  const { sql, params } = within(scope)
  const samples = samplesIn(scope, { names: ['LCP'] })
  return await clickhouse.query<PageRow>(
    `${samples.sql}, lcp as (
      select sample_page as page, quantileExactInclusive(0.75)(value) as lcp_p75,
        count() as lcp_samples
      from samples group by page
    ), viewed as (
      select page, countIf(type = 'view') as views, countIf(type = 'error') as errors,
        uniqExact(session_id) as sessions
      from rum_events
      where ${sql} and type in ('view', 'error') and page != ''
      group by page order by views desc, errors desc, page limit {limit:UInt32}
    )
    select page, views, errors, sessions, lcp_p75, lcp_samples
    from viewed left join lcp using page
    order by views desc, errors desc, page`,
    { ...params, ...samples.params, limit },
  )
}

type Seen = { first_ms: number; last_ms: number }

export type ErrorRow = Omit<RumError, 'title' | 'first_seen' | 'last_seen'> & Seen

/** Lists the most frequent errors first; type and message are those of the last occurrence. */
export async function listErrors(
  clickhouse: ClickHouse,
  scope: Scope,
  filter: { page?: string | undefined; fingerprint?: string | undefined; limit: number },
): Promise<ErrorRow[]> {
  const { page, fingerprint, limit } = filter
  const { sql, params } = within(scope)
  const isOnPage = page === undefined ? '' : 'and page = {page:String}'
  const isThis = fingerprint === undefined ? '' : 'and error_fingerprint = {fingerprint:String}'
  return await clickhouse.query<ErrorRow>(
    `select error_fingerprint as fingerprint,
      argMax(rum_events.error_type, ${LATER}) as error_type,
      argMax(error_message, ${LATER}) as message,
      count() as count, uniqExact(session_id) as affected_sessions,
      arraySort(groupUniqArrayIf(${ERROR_PAGES_MAX})(rum_events.page, rum_events.page != '')) as pages,
      min(timestamp_ms) as first_ms, max(timestamp_ms) as last_ms
    from rum_events
    where ${sql} and type = 'error' ${isOnPage} ${isThis}
    group by fingerprint
    order by count desc, last_ms desc, fingerprint
    limit {limit:UInt32}`,
    {
      ...params,
      ...(page !== undefined && { page }),
      ...(fingerprint !== undefined && { fingerprint }),
      limit,
    },
  )
}

/** Number of pages that are listed with an error, as examples. */
const ERROR_PAGES_MAX = 5

/** Finds the last error of a group, as it was sent. */
export async function findErrorExample(clickhouse: ClickHouse, scope: Scope, fingerprint: string) {
  const { sql, params } = within(scope)
  const rows = await clickhouse.query<{ session_id: string; page: string; event: string }>(
    `select session_id, page, event from rum_events
    where ${sql} and type = 'error' and error_fingerprint = {fingerprint:String}
    order by timestamp_ms desc, toUInt128(id) desc limit 1`,
    { ...params, fingerprint },
  )
  return rows[0]
}

/** Selects sessions with this error, or with an event on this page. */
export type SessionFilter = {
  error_fingerprint?: string | undefined
  page?: string | undefined
  limit: number
}

/** Lists the ids of the sessions with the latest events. */
export async function listSessionIds(
  clickhouse: ClickHouse,
  scope: Scope,
  filter: SessionFilter & { since_ms: number | undefined },
): Promise<string[]> {
  const { since_ms, error_fingerprint, page, limit } = filter
  const { sql, params } = within(scope)
  const conditions = [sql]
  if (since_ms !== undefined) conditions.push('timestamp_ms >= {since_ms:Int64}')
  if (error_fingerprint !== undefined) {
    conditions.push(`type = 'error' and error_fingerprint = {error_fingerprint:String}`)
  }
  if (page !== undefined) conditions.push('page = {page:String}')
  const rows = await clickhouse.query<{ session_id: string }>(
    `select session_id from rum_events
    where ${conditions.join(' and ')}
    group by session_id
    order by max(timestamp_ms) desc, session_id
    limit {limit:UInt32}`,
    {
      ...params,
      ...(since_ms !== undefined && { since_ms }),
      ...(error_fingerprint !== undefined && { error_fingerprint }),
      ...(page !== undefined && { page }),
      limit,
    },
  )
  return rows.map(({ session_id }) => session_id)
}

export type SessionRow = Omit<RumSession, 'device_class' | 'first_seen' | 'last_seen'> &
  Seen & { device_class: DeviceClass | '' }

/** Lists those of the sessions that exist, the one with the latest event first. */
export async function listSessions(
  clickhouse: ClickHouse,
  scope: Scope,
  sessionIds: readonly string[],
): Promise<SessionRow[]> {
  const { sql, params } = within(scope)
  return await clickhouse.query<SessionRow>(
    `select session_id, min(timestamp_ms) as first_ms, max(timestamp_ms) as last_ms,
      count() as events, countIf(type = 'view') as views, countIf(type = 'action') as actions,
      countIf(type = 'error') as errors,
      argMinIf(page, ${LATER}, page != '') as first_page,
      argMaxIf(page, ${LATER}, page != '') as last_page,
      max(rum_events.device_class) as device_class
    from rum_events
    where ${sql} and session_id in {session_ids:Array(String)}
    group by session_id
    order by last_ms desc, session_id`,
    { ...params, session_ids: sessionIds },
  )
}

export type EventOfSession = Pick<RumTimelineEvent, 'id' | 'type' | 'page'> & {
  timestamp_ms: number
  received_ms: number
  /** JSON, as it was sent. */
  event: string
}

/** Lists events by time, and in the order of receipt at the same time. */
export async function listEvents(
  clickhouse: ClickHouse,
  scope: Scope,
  { session_id, limit }: { session_id: string; limit: number },
): Promise<EventOfSession[]> {
  const { sql, params } = within(scope)
  return await clickhouse.query<EventOfSession>(
    `select id, type, timestamp_ms, toUnixTimestamp64Milli(received_at) as received_ms, page, event
    from rum_events
    where ${sql} and session_id = {session_id:String}
    order by timestamp_ms, toUInt128(id)
    limit {limit:UInt32}`,
    { ...params, session_id, limit },
  )
}

/**
 * Selects the values that count, as `samples` of a query that begins with it: the last value of each id within a
 * session, and every value without an id. Most ids are reported once, so only the rows that share their hash with
 * another row are grouped by id. These hashes are a scalar, which the engine computes once, and a subquery twice.
 */
export function samplesIn(
  scope: Scope,
  { device, names = VITALS }: { device?: DeviceClass | undefined; names?: readonly VitalName[] },
): Condition {
  const { sql, params } = within(scope)
  const isOfDevice = device === undefined ? '' : 'and device_class = {device:String}'
  const vitals = `rum_events
      where ${sql} and type = 'vital' and vital_name in {names:Array(String)} ${isOfDevice}`
  return {
    sql: `with (
        select groupArray(vital_hash) from (
          select vital_hash from ${vitals} and vital_hash != 0 group by vital_hash having count() > 1)
      ) as repeated,
      samples as (
        select vital_name as name, page as sample_page, vital_value as value, timestamp_ms as sample_ms
        from ${vitals} and vital_hash not in (select arrayJoin(repeated))
        union all
        select vital_name as name, argMax(page, ${LATER}) as sample_page,
          argMax(vital_value, ${LATER}) as value, max(timestamp_ms) as sample_ms
        from ${vitals} and vital_hash in (select arrayJoin(repeated))
        group by name, sipHash128(session_id, vital_id))`,
    params: { ...params, names, ...(device !== undefined && { device }) },
  }
}

/** Condition of every query, which restricts it to the events of one organization and mode. */
export function within({ org_id, mode, window }: Scope): Condition {
  const conditions = ['org_id = {org_id:UUID}', 'mode = {mode:String}']
  const params: Params = { org_id, mode }
  const bound = (name: keyof Window, condition: string) => {
    if (window[name] === undefined) return
    conditions.push(condition)
    params[name] = window[name]
  }
  bound('received_since', 'toDate(received_at) >= {received_since:Date}')
  bound('from_ms', 'timestamp_ms >= {from_ms:Int64}')
  bound('until_ms', 'timestamp_ms <= {until_ms:Int64}')
  return { sql: conditions.join(' and '), params }
}
