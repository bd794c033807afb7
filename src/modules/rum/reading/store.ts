/** What is asked of the events in ClickHouse. Times are milliseconds since 1970, as they were told. */
import type { ClickHouse } from '../../../platform/clickhouse/client.ts'
import type { Mode } from '../../../platform/postgres/tables/platform.ts'
import type { Window } from '../../../platform/told-dates.ts'
import type { DeviceClass } from '../device-class.ts'
import { THRESHOLDS, VITALS, type VitalName } from '../vitals.ts'

export type Scope = { org_id: string; mode: Mode; window: Window }

/**
 * Which of two events is the later one: by their times, else by the order in which they came. One
 * number, because a tuple takes the engine three times as long. UUIDs sort by their second half there.
 */
const LATER = 'bitShiftLeft(toInt256(timestamp_ms), 128) + toUInt128(id)'
const NO_ID = `toUUID('00000000-0000-0000-0000-000000000000')`

type Params = Record<string, unknown>
type Condition = { sql: string; params: Params }

export type VitalRow = {
  name: VitalName
  page: string
  /** Of all pages together. */
  is_overall: 0 | 1
  p75: number
  samples: number
  good: number
  poor: number
}

/**
 * Ordered by samples of the page, all pages together first. The rows of a page follow each other, so
 * that those of the first `pages_max` pages are complete.
 */
export async function listVitals(
  clickhouse: ClickHouse,
  scope: Scope,
  filter: { page?: string | undefined; device?: DeviceClass | undefined; pages_max: number },
): Promise<VitalRow[]> {
  const samples = samplesIn(scope, filter.device)
  const isOfPage = filter.page === undefined ? '1' : 'sample_page = {page:String}'
  return await clickhouse.query<VitalRow>(
    `with samples as (${samples.sql})
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

export type PageRow = {
  page: string
  views: number
  errors: number
  sessions: number
  lcp_p75: number
  lcp_samples: number
}

/** Most viewed first. */
export async function listPages(
  clickhouse: ClickHouse,
  scope: Scope,
  limit: number,
): Promise<PageRow[]> {
  const { sql, params } = within(scope)
  const samples = samplesIn(scope, undefined)
  return await clickhouse.query<PageRow>(
    `with samples as (${samples.sql}), lcp as (
      select sample_page as page, quantileExactInclusive(0.75)(value) as lcp_p75,
        count() as lcp_samples
      from samples where name = 'LCP' group by page
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

export type ErrorRow = {
  fingerprint: string
  error_type: string
  message: string
  count: number
  affected_sessions: number
  pages: string[]
  first_ms: number
  last_ms: number
}

/** Most frequent first; type and message are those of the last one. */
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

/** Told of an error, as examples. */
const ERROR_PAGES_MAX = 5

export type ErrorExample = { session_id: string; page: string; event: string }

/** The last error of a group, as it was sent. */
export async function findErrorExample(
  clickhouse: ClickHouse,
  scope: Scope,
  fingerprint: string,
): Promise<ErrorExample | undefined> {
  const { sql, params } = within(scope)
  const rows = await clickhouse.query<ErrorExample>(
    `select session_id, page, event from rum_events
    where ${sql} and type = 'error' and error_fingerprint = {fingerprint:String}
    order by timestamp_ms desc, toUInt128(id) desc limit 1`,
    { ...params, fingerprint },
  )
  return rows[0]
}

/** Which sessions are meant: those in which it happened. */
export type SessionFilter = {
  error_fingerprint?: string | undefined
  page?: string | undefined
  limit: number
}

/** Of the sessions that were heard from last. */
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

export type SessionRow = {
  session_id: string
  first_ms: number
  last_ms: number
  events: number
  views: number
  actions: number
  errors: number
  first_page: string
  last_page: string
  device_class: DeviceClass | ''
}

/** Those of these sessions that there are, heard from last first. */
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

export type EventOfSession = {
  id: string
  type: string
  timestamp_ms: number
  received_ms: number
  page: string
  /** JSON, as it was sent. */
  event: string
}

/** Oldest first; those of one instant in the order in which they came. */
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
 * The value that counts of each vital: the last one of those that were reported under one id in a
 * session, and each one that has no id. By a hash, of which millions take little memory.
 */
export function samplesIn(scope: Scope, device: DeviceClass | undefined): Condition {
  const { sql, params } = within(scope)
  const isOfDevice = device === undefined ? '' : 'and device_class = {device:String}'
  return {
    sql: `
      select vital_name as name,
        argMax(page, ${LATER}) as sample_page,
        argMax(vital_value, ${LATER}) as value, max(timestamp_ms) as sample_ms
      from rum_events
      where ${sql} and type = 'vital' and vital_name in {names:Array(String)} ${isOfDevice}
      group by name, sipHash128(session_id, vital_id, if(vital_id = '', id, ${NO_ID}))`,
    params: { ...params, names: VITALS, ...(device !== undefined && { device }) },
  }
}

/** Every question begins with it: an organisation sees its own events only. */
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
