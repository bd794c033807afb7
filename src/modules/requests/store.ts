/** SQL for the request log. */
import { sql } from 'kysely'
import { lowestIdAt } from '../../platform/ids.ts'
import type { Mode } from '../../platform/owner.ts'
import { numberArray, textArray, timeArray, uuidArray } from '../../platform/postgres/arrays.ts'
import type { Database, Db } from '../../platform/postgres/db.ts'
import type { LoggedRequest } from './schema.ts'
import { slotAt, slotToEmpty } from './slots.ts'

export type RequestRow = {
  org_id: string
  id: string
  at: Date
  mode: Mode | null
  method: string
  route: string
  path: string
  status: number
  duration_ms: number
  /** Empty for requests of signed-in users. */
  key_id: string
  user_id: string
  left_out: number
}

export type ListedRequest = Omit<LoggedRequest, 'at'> & { at: Date }

export type RequestFilter = {
  mode?: Mode | undefined
  method?: string | undefined
  /** First digit of the status: 4 matches 400 to 499. */
  status_class?: number | undefined
  path_prefix?: string | undefined
  key_id?: string | undefined
}

export type PageQuery = { since: Date; after: string | undefined; limit: number }

/** Maximum number of rows that one page examines. */
export const EXAMINED_MAX = 5000
const LOCK_TIMEOUT = '2s'

export async function insertRequests(db: Db, rows: readonly RequestRow[]): Promise<void> {
  const texts = (column: 'method' | 'route' | 'path' | 'key_id' | 'user_id') =>
    sql`${textArray(rows.map((row) => row[column]))}::text[]`
  const numbers = (values: number[]) => sql`${numberArray(values)}::float8[]`
  await sql`
    insert into request_log (org_id, id, at, slot, status, duration_ms, left_out, mode, method,
      route, path, key_id, user_id)
    select org_id, id, at, slot, status, duration_ms, left_out, nullif(mode, ''), method, route,
      path, nullif(key_id, '')::uuid, nullif(user_id, '')::uuid
    from unnest(
      ${uuidArray(rows.map((row) => row.org_id))}::uuid[],
      ${uuidArray(rows.map((row) => row.id))}::uuid[],
      ${timeArray(rows.map((row) => row.at))}::timestamptz[],
      ${numbers(rows.map((row) => slotAt(row.at)))},
      ${numbers(rows.map((row) => row.status))},
      ${numbers(rows.map((row) => row.duration_ms))},
      ${numbers(rows.map((row) => row.left_out))},
      ${textArray(rows.map((row) => row.mode ?? ''))}::text[],
      ${texts('method')}, ${texts('route')}, ${texts('path')}, ${texts('key_id')},
      ${texts('user_id')}
    ) as entries (org_id, id, at, slot, status, duration_ms, left_out, mode, method, route, path,
      key_id, user_id)`.execute(db)
}

/** Newest first, among the rows that one page examines. */
export async function listRequests(
  db: Db,
  orgId: string,
  filter: RequestFilter,
  query: PageQuery,
): Promise<ListedRequest[]> {
  const { rows } = await sql<ListedRequest>`
    select e.id, e.at, e.mode, e.method, e.route, e.path, e.status, e.duration_ms, e.left_out,
      e.key_id, key.key_hint, reader.email as user_email
    from (select * ${examined(orgId, query)} limit ${sql.lit(EXAMINED_MAX)}) e
    left join api_keys key on key.id = e.key_id and key.org_id = e.org_id
    left join users reader on reader.id = e.user_id
    where ${matches(filter)}
    order by e.id desc limit ${query.limit}`.execute(db)
  return rows
}

/** The last row that a page examines; undefined when the log ends before it. */
export async function findLastExamined(
  db: Db,
  orgId: string,
  query: PageQuery,
): Promise<{ id: string; at: Date } | undefined> {
  const { rows } = await sql<{ id: string; at: Date }>`
    select id, at ${examined(orgId, query)} offset ${sql.lit(EXAMINED_MAX - 1)} limit 1`.execute(db)
  return rows[0]
}

/** @param until id of the last examined row; undefined when the page reached the end of the log */
export async function countLeftOut(
  db: Db,
  orgId: string,
  query: PageQuery,
  until: string | undefined,
): Promise<number> {
  const bound = until === undefined ? sql`true` : sql`id >= ${until}::uuid`
  const { rows } = await sql<{ left_out: number }>`
    select coalesce(sum(left_out), 0)::int as left_out from request_log
    where ${within(orgId, query)} and ${bound}`.execute(db)
  return rows[0]?.left_out ?? 0
}

const within = (orgId: string, { since, after }: PageQuery) => sql`
  org_id = ${orgId}::uuid and id >= ${lowestIdAt(since.getTime())}::uuid
    and ${after === undefined ? sql`true` : sql`id < ${after}::uuid`}`

const examined = (orgId: string, query: PageQuery) => sql`
  from request_log where ${within(orgId, query)} order by id desc`

function matches({ mode, method, status_class, path_prefix, key_id }: RequestFilter) {
  const conditions = [sql`true`]
  // Requests of signed-in users have no key and no mode; they are listed with live ones.
  if (mode === 'test') conditions.push(sql`e.mode = 'test'`)
  if (mode === 'live') conditions.push(sql`e.mode is distinct from 'test'`)
  if (method !== undefined) conditions.push(sql`e.method = ${method}`)
  if (status_class !== undefined) conditions.push(sql`e.status / 100 = ${status_class}`)
  if (path_prefix !== undefined) conditions.push(sql`starts_with(e.path, ${path_prefix})`)
  if (key_id !== undefined) conditions.push(sql`e.key_id = ${key_id}::uuid`)
  return sql.join(conditions, sql` and `)
}

/**
 * Deletes requests that are older than a day; one successful run in four hours suffices. Truncates,
 * which frees the space immediately at any size. Waits only briefly for readers, because further
 * readers queue behind the waiting lock; the next run tries again.
 */
export async function sweepRequests(db: Database, now: Date): Promise<void> {
  const table = sql.table(`request_log_${slotToEmpty(now)}`)
  const { rows } = await sql`select 1 from ${table} limit 1`.execute(db)
  if (rows.length === 0) return
  await db.transaction().execute(async (tx) => {
    await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(tx)
    await sql`truncate table ${table}`.execute(tx)
  })
}
