/** Deletes the rows of an organization in portions, each a transaction, in an order that can be resumed. */
import type { Client } from 'pg'
import { quoted } from '../../platform/postgres/dump.ts'
import { FOUND_BY_OTHERS, listOrganizationTables } from './tables.store.ts'

/** These tables stay for the books: who paid how much for what, and who did what. */
export const RETAINED_TABLES: readonly string[] = [
  'audit_log',
  'ledger_accounts',
  'ledger_transfers',
  'ledger_usage',
  'mdm_audit_log',
  'organizations',
  'usage_events',
  'usage_key_slots',
  'usage_months',
  'usage_slots',
]

/** First, so that nothing is added while the rest is deleted. Users are found by memberships. */
const FIRST_TABLES: readonly string[] = [
  'api_keys',
  'portal_links',
  'invitations',
  'analytics_spool',
]
const LAST_TABLES: readonly string[] = ['memberships']
const PORTION_ROWS = 5000

/** @returns the number of rows of each table that a deletion would delete */
export async function countRows(
  client: Client,
  orgId: string,
  place?: readonly string[],
): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name, condition } of await deletedTables(client, place)) {
    const { rows } = await client.query<{ rows: string }>(
      `select count(*) as rows from ${quoted(name)} where ${condition}`,
      [orgId],
    )
    const count = Number(rows[0]?.rows ?? 0)
    if (count > 0) counts[name] = count
  }
  return counts
}

/**
 * A killed deletion continues where it stopped when it is started again.
 *
 * @param onTable called after each table that had rows
 */
export async function deleteRows(
  client: Client,
  orgId: string,
  onTable: (table: string, rows: number) => void,
  place?: readonly string[],
): Promise<void> {
  const tables = await deletedTables(client, place)
  // Triggers count rows in other tables, so the tables are visited until nothing is left.
  for (let isMore = true; isMore; ) {
    isMore = false
    for (const { name, condition } of tables) {
      let deleted = 0
      for (let portion = PORTION_ROWS; portion > 0; deleted += portion) {
        const { rowCount } = await client.query(
          `delete from ${quoted(name)} where ctid = any(array(
             select ctid from ${quoted(name)} where ${condition} limit ${PORTION_ROWS}))
           and ${condition}`,
          [orgId],
        )
        portion = rowCount ?? 0
      }
      if (deleted === 0) continue
      isMore = true
      onTable(name, deleted)
    }
  }
}

/** Deletes the users that belong to no other organization, before their memberships. */
export async function deleteOwnUsers(client: Client, orgId: string): Promise<number> {
  const { rowCount } = await client.query(
    `delete from users u where id in (select user_id from memberships where org_id = $1)
       and not exists (select from memberships m where m.user_id = u.id and m.org_id <> $1)`,
    [orgId],
  )
  return rowCount ?? 0
}

export async function findName(client: Client, orgId: string): Promise<string | undefined> {
  const { rows } = await client.query<{ name: string }>(
    'select name from organizations where id = $1',
    [orgId],
  )
  return rows[0]?.name
}

async function deletedTables(client: Client, ownTables: readonly string[] | undefined) {
  const tables = await listOrganizationTables(client, ownTables)
  const deleted = tables.filter(({ name }) => name !== 'users' && !RETAINED_TABLES.includes(name))
  const order = [...FIRST_TABLES, ...FOUND_BY_OTHERS]
  const place = (name: string): number => {
    if (LAST_TABLES.includes(name)) return order.length + 1
    const index = order.indexOf(name)
    return index < 0 ? order.length : index
  }
  return deleted.toSorted((a, b) => place(a.name) - place(b.name))
}
