/**
 * Finds a person's values in the texts of all other tables of an organization, which it reads from the catalog, so
 * that no table is forgotten.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import { RETAINED_TABLES } from '../organization-data/index.ts'
import { matches, withoutValues } from './match.store.ts'
import type { Person } from './person.ts'
import type { Counts } from './rows.store.ts'

/**
 * What members have set up, and their accounts. A changed rule or channel would do something else, so these are
 * left to people. States have versions and contain no values of people.
 */
const SET_BY_MEMBERS: readonly string[] = [
  'api_keys',
  'applications',
  'case_settings',
  'configuration_items',
  'edge_alerts',
  'edge_panels',
  'edge_searches',
  'invitations',
  'mdm_enterprises',
  'mdm_groups',
  'mdm_policies',
  'mdm_policy_versions',
  'memberships',
  'notification_channels',
  'notification_routes',
  'order_rules',
  'push_configurations',
  'push_credentials',
  'states',
  'webhook_endpoints',
]

export const isChangeable = (table: string): boolean =>
  !SET_BY_MEMBERS.includes(table) && !RETAINED_TABLES.includes(table)

export type TextColumn = { name: string; type: 'text' | 'json' | 'jsonb' | 'text[]' }
export type TextTable = { name: string; columns: TextColumn[] }

/** Tables with texts outside of their key, in the order of their names. */
export async function listTextTables(db: Db, place: readonly string[]): Promise<TextTable[]> {
  const { rows } = await sql<TextTable>`
    select c.relname::text as name, json_agg(json_build_object(
      'name', a.attname, 'type', format_type(a.atttypid, null)) order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and not c.relispartition and a.attnum > 0 and not a.attisdropped
      and format_type(a.atttypid, null) in ('text', 'json', 'jsonb', 'text[]')
      and a.attname not in ('mode', 'status', 'state_text')
      and exists (select from pg_attribute o where o.attrelid = c.oid and o.attname = 'org_id')
      and not exists (select from pg_index i where i.indrelid = c.oid and i.indisprimary
        and a.attnum = any(i.indkey))
      and c.relname = any(${place}::text[])
    group by c.relname order by c.relname`.execute(db)
  return rows
}

/**
 * Replaces the values in the texts of a table.
 *
 * @param range condition that selects a part of its rows
 */
export async function clearTexts(
  tx: Db,
  { org_id, patterns }: Person,
  { name, columns }: TextTable,
  range: RawBuilder<boolean>,
): Promise<Counts> {
  const changes = columns.map((column) => {
    const text = sql.ref(column.name)
    // Without a test whether a list names the person, because Citus refuses to convert it in a CASE of an update.
    const [condition, cleared] =
      column.type === 'text[]'
        ? [
            sql`${text} is not null`,
            sql`array(select ${withoutValues(sql`t`, patterns)}
              from unnest(${text}) with ordinality as u (t, n) order by n)`,
          ]
        : [
            naming([column], patterns),
            sql`${withoutValues(textOf(column), patterns)}::${sql.raw(column.type)}`,
          ]
    return sql`${text} = case when ${condition} then ${cleared} else ${text} end`
  })
  const { numAffectedRows } = await sql`
    update ${sql.table(name)} set ${sql.join(changes)}
    where ${range} and org_id = ${org_id} and ${naming(columns, patterns)}`.execute(tx)
  return { [name]: Number(numAffectedRows ?? 0n) }
}

/** Counts the rows of a range that name the person. */
export async function countNaming(
  db: Db,
  { org_id, patterns }: Person,
  { name, columns }: TextTable,
  range: RawBuilder<boolean>,
): Promise<Counts> {
  const { rows } = await sql<{ rows: number }>`
    select count(*)::integer as rows from ${sql.table(name)}
    where ${range} and org_id = ${org_id} and ${naming(columns, patterns)}`.execute(db)
  return { [name]: rows[0]?.rows ?? 0 }
}

const naming = (columns: readonly TextColumn[], patterns: Person['patterns']) =>
  sql`(${sql.join(
    columns.map((column) => matches(textOf(column), patterns)),
    sql` or `,
  )})`

/** An array as JSON, where its elements are in quotes. */
const textOf = ({ name, type }: TextColumn): RawBuilder<string> =>
  type === 'text[]'
    ? sql`coalesce(to_json(${sql.ref(name)})::text, '')`
    : sql`coalesce(${sql.ref(name)}::text, '')`

/** Batches that wait for the analytics engine are compressed, so they cannot be searched. */
export async function countWaitingBatches(db: Db, orgId: string): Promise<number> {
  const { rows } = await sql<{ batches: number }>`
    select count(*)::integer as batches from analytics_spool
    where org_id = ${orgId} and flushed_at is null`.execute(db)
  return rows[0]?.batches ?? 0
}
