/**
 * Makes a large demo of a filled one: copies of the month, as if the chain had many more customers, shops and devices,
 * laid out over half a year.
 */
import { sql } from 'kysely'
import type { Database } from '../../src/platform/postgres/db.ts'
import type { DemoService } from '../fill/context.ts'
import { copyEntries } from './analytics.ts'
import { copyTable } from './copies.ts'
import { createFunctions, dropFunctions, LAYERS, SCHEMA } from './functions.ts'
import { copyProfiles } from './profiles.ts'
import { type Copies, tablesOf } from './tables.ts'

export { requireDisk } from './disk.ts'

/** Numbers of rows at the full scale. */
const TARGETS = {
  orders: 1_000_000,
  logs: 20_000_000,
  rum_events: 2_000_000,
  managed_devices: 300_000,
  edge_devices: 30_000,
  deliveries: 10_000_000,
  subscriptions: 250_000,
}
/** An organization has up to a hundred endpoints. */
const ENDPOINT_COPIES = 17

export type Enlarging = Pick<DemoService, 'stores' | 'core' | 'has_logs'> & {
  org_id: string
  /** 1 is the full size. */
  scale: number
  progress: (line: string) => void
}

/** @returns the number of rows that were added, by table */
export async function enlarge(enlarging: Enlarging): Promise<Record<string, number>> {
  const { stores, core, org_id, has_logs, progress } = enlarging
  const { db } = stores
  const counts: Record<string, number> = {}
  const report = (table: string, rows: number) => {
    counts[table] = rows
    progress(`${rows.toLocaleString('en')} rows of ${table}`)
  }
  await createFunctions(db)
  const copies = await countCopies(db, enlarging)
  for (const table of has_logs ? (['edge_logs', 'rum_events'] as const) : []) {
    const count = Math.round(
      (table === 'edge_logs' ? TARGETS.logs : TARGETS.rum_events) * enlarging.scale,
    )
    const { clickhouse } = stores.analytics
    report(
      table,
      await copyEntries(clickhouse, table, {
        count,
        orgId: org_id,
        devices: copies.edge_devices,
        progress,
      }),
    )
  }
  await copyProfiles(db, core.stateId, org_id, copies.orders)
  for (const copied of tablesOf(copies)) {
    report(copied.table, await copyTable(db, org_id, copied))
  }
  await adaptOthers(db, org_id)
  await dropFunctions(db)
  return counts
}

/** Counts the copies that each table needs to reach its target. */
async function countCopies(db: Database, { org_id, scale }: Enlarging): Promise<Copies> {
  const timesOf = async (target: number, table: string, rows_per_copy = 1): Promise<number> => {
    const { rows } = await sql<{ rows: number }>`
      select count(*) as rows from ${sql.table(table)} where org_id = ${org_id}`.execute(db)
    const present = Math.max(1, rows[0]?.rows ?? 0)
    return Math.max(1, Math.ceil((target * scale - present) / (present * rows_per_copy)))
  }
  const orders = await timesOf(TARGETS.orders, 'orders')
  return {
    // A whole number of layers, so that events about one order have its month.
    orders: Math.ceil(orders / LAYERS) * LAYERS,
    events: await timesOf(TARGETS.deliveries, 'webhook_deliveries', ENDPOINT_COPIES + 1),
    endpoints: ENDPOINT_COPIES,
    managed_devices: await timesOf(TARGETS.managed_devices, 'mdm_devices'),
    edge_devices: await timesOf(TARGETS.edge_devices, 'edge_devices'),
    subscriptions: await timesOf(TARGETS.subscriptions, 'push_subscriptions'),
  }
}

/** Adapts the tables that have to agree with the copies. */
async function adaptOthers(db: Database, orgId: string): Promise<void> {
  const earlier = sql.raw(`${SCHEMA}.earlier(${LAYERS - 1})`)
  for (const [table, id] of [
    ['organizations', 'id'],
    ['webhook_endpoints', 'org_id'],
  ] as const) {
    await sql`update ${sql.table(table)} set created_at = created_at - ${earlier}
      where ${sql.ref(id)} = ${orgId}`.execute(db)
  }
  // New orders continue the numbers. The version makes processes read the state again.
  await sql`update states set version = version + 1, state_text = regexp_replace(state_text, '"orders":[0-9]+',
      '"orders":' || (select max(seq) from orders where org_id = ${orgId}))
    where org_id = ${orgId} and kind = 'organization'`.execute(db)
  // The emulated Google has only the devices of the month, so listing them would find the others missing.
  await sql`update mdm_enterprises set listing_due_at = now() + interval '10 years'
    where org_id = ${orgId}`.execute(db)
}
