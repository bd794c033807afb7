/** The rows of one organization in the database. */
import { sql } from 'kysely'
import type { Db } from '../../src/platform/postgres/db.ts'

/**
 * Counts the organization's rows in every table with an org_id, except the request log, which also
 * contains refused requests, and the voices, which a job adds for all organizations.
 */
export async function countRows(db: Db, orgId: string): Promise<Record<string, number>> {
  const { rows: tables } = await sql<{ table_name: string }>`
    select c.relname as table_name from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = any(current_schemas(false)::regnamespace[]) and a.attname = 'org_id'
      and c.relkind in ('r', 'p') and not c.relispartition
      and c.relname not in ('request_log', 'reputation_voices')
    order by 1`.execute(db)
  const counts: Record<string, number> = {}
  for (const { table_name } of tables) {
    const { rows } = await sql<{ n: number }>`
      select count(*)::integer as n from ${sql.table(table_name)} where org_id = ${orgId}`.execute(
      db,
    )
    counts[table_name] = rows[0]?.n ?? 0
  }
  return counts
}

export type UsageRow = {
  meter: string
  quantity: string
  cost_units: string
  source_id: string
  mode: string
}

/** Returns each priced item, also those that share a row. */
export async function usageOf(db: Db, orgId: string): Promise<UsageRow[]> {
  const { rows } = await sql<UsageRow>`
    select meter, (quantity / cardinality(sources))::text as quantity,
      (cost_units / cardinality(sources))::text as cost_units, s.source_id, mode
    from (select *, coalesce(source_ids, array[source_id]) as sources from usage_events) u
      cross join lateral unnest(sources) as s (source_id)
    where org_id = ${orgId} order by id`.execute(db)
  return rows
}

export type EventRow = { id: string; mode: string; type: string; body: string; occurred_at: Date }

export async function eventsOf(db: Db, orgId: string): Promise<EventRow[]> {
  const { rows } = await sql<EventRow>`
    select id, mode, type, body, occurred_at from events
    where org_id = ${orgId} order by id`.execute(db)
  return rows
}
