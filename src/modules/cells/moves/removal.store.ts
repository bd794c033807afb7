/** Deletes what a move leaves in its source, in portions, in an order that can be resumed. */
import type { Client } from 'pg'
import { quoted } from '../../../platform/postgres/dump.ts'
import { AS_MOVE } from './arrival.store.ts'
import type { MovedTable } from './shape.store.ts'

/**
 * First, because background work finds their rows without the organization, and is refused until they are gone.
 */
const QUEUES: readonly string[] = [
  'analytics_spool',
  'usage_events',
  'reviews',
  'webhook_deliveries',
  'push_recipients',
  'push_messages',
  'mdm_dispatches',
  'mdm_commands',
  'mdm_group_commands',
  'mdm_notifications',
  'notification_messages',
  'rules_replays',
  'directory_changes',
]
/** Transfers refer to accounts, and accounts to the copy of the organization. */
const LAST: readonly string[] = ['ledger_accounts']
/** Batches that are being inserted into the analytics engine are completed here, and then deleted. */
const CONDITIONS: Readonly<Record<string, string>> = { analytics_spool: 'and flush_id is null' }
const PORTION_ROWS = 5000

/** @returns the number of rows */
export async function removeRows(
  source: Client,
  orgId: string,
  tables: readonly MovedTable[],
  isDirectory: boolean,
): Promise<number> {
  await source.query(AS_MOVE)
  let removed = 0
  const names = tables.map(({ name }) => name)
  for (const name of names.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    // Rows of several partitions can have the same place, so that a portion has more.
    for (let portion = PORTION_ROWS; portion >= PORTION_ROWS; removed += portion) {
      const condition = `org_id = $1 ${CONDITIONS[name] ?? ''}`
      const { rowCount } = await source.query(
        `delete from ${quoted(name)} where ctid = any(array(
           select ctid from ${quoted(name)} where ${condition} limit ${PORTION_ROWS}))
         and ${condition}`,
        [orgId],
      )
      portion = rowCount ?? 0
    }
  }
  // In the database of the directory, the row is the organization itself.
  if (!isDirectory) await source.query('delete from organizations where id = $1', [orgId])
  return removed
}

function placeOf(name: string): number {
  if (LAST.includes(name)) return QUEUES.length + 1
  const index = QUEUES.indexOf(name)
  return index < 0 ? QUEUES.length : index
}

/** Ends the fence, when no process can still write with an older look-up. */
export async function forgetFence(client: Client, orgId: string): Promise<void> {
  await client.query('delete from organization_changes where org_id = $1', [orgId])
  await client.query('delete from organization_fences where org_id = $1', [orgId])
}
