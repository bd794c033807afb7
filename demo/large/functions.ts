/**
 * SQL functions that derive a copy's ids, names and times from those of the copied row, so that references between
 * copied rows, and the times in their ids, agree. They are inlined into statements.
 */
import { sql } from 'kysely'
import type { Database } from '../../src/platform/postgres/db.ts'
import { DAY_MS } from '../../world/time.ts'

/** Schema of the functions and of the rows that are copied; it is dropped at the end. */
export const SCHEMA = 'demo_large'
/** Copies lie in layers, each a month older than the one before, by whole days. */
export const LAYERS = 6
const DAYS_PER_LAYER = 30
const ISO_DAY = `'YYYY-MM-DD"T"'`

const FUNCTIONS = [
  `earlier(layer int) returns interval
    return make_interval(days => layer * ${DAYS_PER_LAYER})`,
  // An id of version 7 begins with its time in milliseconds.
  `moved(id uuid, layer int) returns uuid
    return case when substr(id::text, 15, 1) = '7'
      then (lpad(to_hex(('x' || substr(translate(id::text, '-', ''), 1, 12))::bit(48)::bigint
        - layer * ${DAYS_PER_LAYER * DAY_MS}::bigint), 12, '0')
        || substr(translate(id::text, '-', ''), 13))::uuid
      else id end`,
  `dated(body text, at timestamptz, layer int) returns text
    return replace(body, to_char(at at time zone 'UTC', ${ISO_DAY}),
      to_char((at - ${SCHEMA}.earlier(layer)) at time zone 'UTC', ${ISO_DAY}))`,
  // An order is W261030-068 or GR3-261029E-003: the shop, the date, and the number of the day.
  `order_moved(name text, layer int) returns text
    return regexp_replace(name, '[0-9]{6}', coalesce(to_char(
      to_date(substring(name from '[0-9]{6}'), 'YYMMDD') - ${SCHEMA}.earlier(layer), 'YYMMDD'), ''))`,
  // The last digits of an id are random.
  `id(id uuid, k int) returns uuid
    return (left(id::text, 28)
      || lpad(to_hex(('x' || right(id::text, 8))::bit(32)::bigint # k), 8, '0'))::uuid`,
  `order_name(name text, k int) returns text
    return regexp_replace(name, '-([^-]*)$', '-' || lpad(k::text, 3, '0') || '\\1')`,
  `name(name text, k int) returns text
    return case when name ~ '^C-[0-9]+$' then 'C-' || (substr(name, 3)::bigint + k * 100000::bigint)
      when name ~ '^[0-9a-f]{32}$' then md5(name || k) else name || ' ' || k end`,
]

export async function createFunctions(db: Database): Promise<void> {
  await dropFunctions(db)
  await sql`create schema ${sql.raw(SCHEMA)}`.execute(db)
  for (const text of FUNCTIONS) {
    const [signature = '', body = ''] = text.split(/(?=\n *return )/)
    const declared = `${SCHEMA}.${signature} language sql stable ${body}`
    await sql.raw(`create function ${declared}`).execute(db)
  }
}

export const dropFunctions = async (db: Database): Promise<void> => {
  await sql.raw(`drop schema if exists ${SCHEMA} cascade`).execute(db)
}
