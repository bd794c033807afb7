/** Finds the orders, checks and events of a person, reading large tables in ranges of limited size. */
import { type RawBuilder, sql } from 'kysely'
import { OperatorError } from '../../platform/operator-error.ts'
import { uuidArray } from '../../platform/postgres/arrays.ts'
import type { Db } from '../../platform/postgres/db.ts'
import { matches } from './match.store.ts'
import type { Person } from './person.ts'

export type Found = Readonly<Record<'orders' | 'checks' | 'events', string[]>>

/** Blocks of a table that one statement reads, 64 MiB, so that it ends long before its time limit. */
const RANGE_BLOCKS = 8192
/** Ids are held in memory. */
const FOUND_MAX = 200_000

export async function findRows(db: Db, person: Person): Promise<Found> {
  const { org_id, profile_ids, patterns } = person
  const isNamed = patterns.length > 0
  const check = sql`(request::text || ' ' || result::text || ' ' || evidence::text)`
  const orders = new Set(await findOrdersOf(db, org_id, profile_ids))
  if (isNamed) {
    for (const id of await findIds(db, org_id, 'orders', matches(sql`request::text`, patterns))) {
      orders.add(id)
    }
  }
  const checks = isNamed ? await findIds(db, org_id, 'checks', matches(check, patterns)) : []
  const about = [...orders, ...checks, ...profile_ids]
  // Bodies have no key of what they are about, so every UUID in them is compared.
  const isAbout = sql`exists (select from regexp_matches(body, ${UUID}, 'g') m
    where m[1]::uuid = any(${uuidArray(about)}::uuid[]))`
  const condition = isNamed ? sql`(${isAbout} or ${matches(sql`body`, patterns)})` : isAbout
  const events = about.length > 0 || isNamed ? await findIds(db, org_id, 'events', condition) : []
  return { orders: [...orders], checks, events }
}

const UUID = '([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})'

async function findOrdersOf(
  db: Db,
  orgId: string,
  profileIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from orders
    where org_id = ${orgId} and profile_id = any(${uuidArray(profileIds)}::uuid[])
    limit ${FOUND_MAX}`.execute(db)
  return limited(rows.map(({ id }) => id))
}

async function findIds(
  db: Db,
  orgId: string,
  table: string,
  condition: RawBuilder<unknown>,
): Promise<string[]> {
  const found: string[] = []
  for (const range of await rangesOf(db, table)) {
    const { rows } = await sql<{ id: string }>`
      select id from ${sql.table(table)}
      where ${range} and org_id = ${orgId} and ${condition}`.execute(db)
    limited(found.concat(rows.map(({ id }) => id)))
    for (const { id } of rows) found.push(id)
  }
  return found
}

function limited(ids: string[]): string[] {
  if (ids.length < FOUND_MAX) return ids
  throw new OperatorError(`More than ${FOUND_MAX} rows name this person. Is the value one of many?`)
}

/**
 * Conditions that divide a table into ranges; rows that are added later are in the last one. A range has blocks
 * of each partition, since they are numbered from the start in each.
 */
export async function rangesOf(db: Db, table: string): Promise<RawBuilder<boolean>[]> {
  const { rows } = await sql<{ blocks: number; partitions: number }>`
    select (max(pg_relation_size(relid)) / current_setting('block_size')::integer)::integer as blocks,
      count(*)::integer as partitions
    from pg_partition_tree(to_regclass(${table})) where isleaf`.execute(db)
  const { blocks = 0, partitions = 1 } = rows[0] ?? {}
  const size = Math.ceil(RANGE_BLOCKS / Math.max(1, partitions))
  const count = Math.ceil((blocks ?? 0) / size)
  return Array.from({ length: Math.max(1, count) }, (_, index) => {
    const from = sql<boolean>`ctid >= ${`(${index * size},0)`}::tid`
    const end = `(${(index + 1) * size},0)`
    return index + 1 >= count ? from : sql<boolean>`(${from} and ctid < ${end}::tid)`
  })
}
