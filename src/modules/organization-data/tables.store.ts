/** Finds the tables with rows of an organization, in the catalog, so that none is forgotten. */
import type { Client } from 'pg'

export type OrganizationTable = {
  name: string
  columns: string[]
  /** SQL that selects the rows of the organization $1. */
  condition: string
}

/** Tables without an `org_id`: another column shows the organization of their rows. */
export const BY_OTHERS: Readonly<Record<string, string>> = {
  organizations: 'id = $1',
  push_recipients: 'message_id in (select id from push_messages where org_id = $1)',
  push_batches: 'message_id in (select id from push_messages where org_id = $1)',
  users: 'id in (select user_id from memberships where org_id = $1)',
}

/** Rows of these are deleted before those by which they are found. */
export const FOUND_BY_OTHERS: readonly string[] = ['push_recipients', 'push_batches']

/**
 * In the order of their names.
 *
 * @param place the tables that belong to the database of the client; by default all
 */
export async function listOrganizationTables(
  client: Client,
  place?: readonly string[],
): Promise<OrganizationTable[]> {
  const { rows } = await client.query<{ name: string; columns: string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
     from pg_class c join pg_attribute a on a.attrelid = c.oid
     where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
       and not c.relispartition and a.attnum > 0 and not a.attisdropped
     group by c.relname
     having 'org_id' = any(array_agg(a.attname::text)) or c.relname = any($1)
     order by c.relname`,
    [Object.keys(BY_OTHERS)],
  )
  const own = rows.filter(({ name }) => place?.includes(name) ?? true)
  return own.map(({ name, columns }) => ({
    name,
    columns,
    condition: BY_OTHERS[name] ?? 'org_id = $1',
  }))
}
