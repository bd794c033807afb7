/** Large tables of an earlier version are divided while they are in use, after the service has started. */
import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { migrationsOf } from '../../scripts/engines/engines.ts'
import { postgresAddress, testDatabase } from '../../test/database.ts'
import { readConfig } from '../config.ts'
import { createLog } from '../platform/log.ts'
import { openDatabase } from '../platform/postgres/db.ts'
import { migrate } from '../platform/postgres/migrate.ts'
import { divideTables, readDivisions } from '../platform/postgres/partitions/index.ts'
import { dividedTables } from './divided-tables.ts'

const name = `${postgresAddress().database}_${randomBytes(4).toString('hex')}`
const admin = testDatabase()
const db = openDatabase({
  server: { ...postgresAddress(), database: name },
  pool_size: 6,
  prepared_statements: true,
  log: createLog('silent'),
})
const org = randomUUID()
const tables = dividedTables(readConfig({}))
const shipped = migrationsOf('postgres')
/** Larger than what migrations divide, in each table. */
const LARGE = { rows: 14_000, value_bytes: 3000 }
const ENDPOINTS = 2
const TIMEOUT_MS = 120_000

const run = async (text: string) => await sql.raw(text).execute(db)
const insertEvents = async (rows: number, bytes: number) =>
  await run(`insert into events (org_id, id, mode, type, body, occurred_at)
    select '${org}', new_time_id(), 'live', 'order.scored', repeat('e', ${bytes}), now()
    from generate_series(1, ${rows})`)
const insertAudit = async (rows: number, bytes: number) =>
  await run(`insert into audit_log (org_id, id, action, details, at)
    select '${org}', new_time_id(), 'key.created', to_jsonb(repeat('e', ${bytes})), now()
    from generate_series(1, ${rows})`)
const rowsOf = async (table: string) => {
  const { rows } = await sql<{
    rows: number
  }>`select count(*) as rows from ${sql.table(table)}`.execute(db)
  return rows[0]?.rows
}
const undivided = async () =>
  (await readDivisions(db, tables))
    .filter(({ state }) => state !== 'divided')
    .map(({ table }) => table)

beforeAll(async () => {
  await sql`create database ${sql.id(name)} template template0`.execute(admin)
  await migrate(
    db,
    shipped.filter((migration) => migration.name < '0058'),
  )
  await run(`insert into webhook_endpoints (org_id, id, mode, url, host, events, description, status, secret,
      secret_prefix, created_at, updated_at)
    select '${org}', gen_random_uuid(), 'live', 'https://shop.test', 'shop.test', '{order.scored}', '', 'active',
      's', 's', now(), now() from generate_series(1, ${ENDPOINTS})`)
  await run(`alter table events alter body set storage plain`)
  await run(`alter table audit_log alter details set storage plain`)
  await run(`alter table webhook_deliveries set (fillfactor = 10)`)
  await insertEvents(LARGE.rows, LARGE.value_bytes)
  await insertAudit(LARGE.rows, LARGE.value_bytes)
  await migrate(db, shipped)
}, TIMEOUT_MS)
afterAll(async () => {
  await db.destroy()
  await sql`drop database ${sql.id(name)} with (force)`.execute(admin)
})

it(
  'divides events, deliveries and the audit log while rows are inserted, and none is lost',
  async () => {
    expect(await undivided()).toEqual(['audit_log', 'events', 'webhook_deliveries'])
    const divided = new AbortController()
    const { signal } = divided
    let inserted = 0
    const writers = [1, 2, 3].map(async () => {
      for (; !signal.aborted; inserted += 1) {
        await insertEvents(1, 10)
        await insertAudit(1, 10)
      }
    })
    while ((await undivided()).length > 0) await divideTables(db, tables)
    const before = inserted
    await expect.poll(() => inserted).toBeGreaterThan(before + 3)
    divided.abort()
    await Promise.all(writers)
    const events = LARGE.rows + inserted
    expect(await Promise.all(['events', 'audit_log', 'webhook_deliveries'].map(rowsOf))).toEqual([
      events,
      events,
      ENDPOINTS * events,
    ])
    await expect(run('delete from audit_log')).rejects.toThrow('append-only')
  },
  TIMEOUT_MS,
)
