/** Backups of an installation with two cells in two databases, taken under load and restored elsewhere. */
import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ownDatabase, postgresAddress, testDatabase } from '../../test/database.ts'
import { type Harness, openHarness, TEST_MASTER_KEY, type Tenant } from '../../test/harness.ts'
import { insertMove, setCellOpen } from '../modules/cells/index.ts'
import { compareWithBackup } from '../platform/backup/compare.ts'
import { checkBackup, openBackup } from '../platform/backup/open.ts'
import { restoreBackup } from '../platform/backup/restore.ts'
import { type BackupStore, createFolderStore } from '../platform/backup/store.ts'
import { readMasterKeys } from '../platform/crypto/master-key.ts'
import { openConnection } from '../platform/postgres/connection.ts'
import type { Database } from '../platform/postgres/db.ts'
import { takeBackup } from './backups.ts'
import { shippedMigrations } from './stores.ts'

const main = ownDatabase('whole')
const east = ownDatabase('whole')
const shared = testDatabase()
const folder = mkdtempSync(join(tmpdir(), 'vigil-backups-'))
const store = createFolderStore(folder)
const keys = {
  masterKeys: readMasterKeys({ configured: TEST_MASTER_KEY, data_dir: folder }),
  passphrase: undefined,
}
const target = `${postgresAddress().database}_${randomBytes(4).toString('hex')}`
const targets = { main: target, east: `${target}_east` }

let harness: Harness
const tenants: Tenant[] = []
/** Checks by organization that were acknowledged before the backup began. */
const before = new Map<Tenant, string[]>()

const nameOf = async (db: Database) =>
  (await sql<{ name: string }>`select current_database() as name`.execute(db)).rows[0]?.name ?? ''
const urlOf = (database: string) => {
  const { host, port, user } = postgresAddress()
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`
}

async function check(tenant: Tenant): Promise<string> {
  const key = tenant.keys.live_secret
  const { status, body } = await harness.post('/v1/check', { email: 'a@b.example' }, { key })
  expect(status).toBe(200)
  return body.content.check_id
}

beforeAll(async () => {
  const settings = {
    VIGIL_BACKUP_LOGS: 'false',
    VIGIL_CELLS: `east=${urlOf(await nameOf(east))}`,
  }
  harness = await openHarness({ db: main, settings })
  await setCellOpen(main, 'east', true)
  tenants.push(await harness.createTenant(), await harness.createTenant())
  for (const tenant of tenants) {
    const ids: string[] = []
    while (ids.length < 10) ids.push(await check(tenant))
    before.set(tenant, ids)
  }
  for (const name of Object.values(targets)) {
    await sql`create database ${sql.id(name)}`.execute(shared)
  }
})
afterAll(async () => {
  await harness.close()
  for (const name of Object.values(targets)) {
    await sql`drop database ${sql.id(name)} with (force)`.execute(shared)
  }
  rmSync(folder, { recursive: true })
})

const take = async () => {
  const server = { ...postgresAddress(), database: await nameOf(main) }
  return await takeBackup({ ...harness.stores, server }, harness.config, { store })
}

it('are refused while an organization moves', async () => {
  const [tenant] = tenants
  const move = { org_id: tenant?.org_id ?? '', id: randomUUID(), source: 'main', target: 'east' }
  await insertMove(main, move)
  await expect(take()).rejects.toThrow('An organization moves between cells')
  await sql`delete from organization_moves`.execute(main)
})

it('have what was acknowledged in each cell, also when a restore is interrupted between cells', async () => {
  const done = new AbortController()
  const load = tenants.map(async (tenant) => {
    while (!done.signal.aborted) await check(tenant)
  })
  const summary = await take()
  done.abort()
  await Promise.all(load)
  expect(summary.format_version).toBe(2)

  const opened = await openBackup(store, summary.id, keys)
  await checkBackup(store, opened, () => undefined)
  expect(opened.manifest.cells?.map(({ name, schema }) => [name, schema])).toEqual([['east', null]])
  const client = await openConnection({ ...postgresAddress(), database: targets.main }, 'restore')
  const cell = await openConnection({ ...postgresAddress(), database: targets.east }, 'restore')
  const cells = new Map([['east', cell]])
  const loaded: string[] = []
  const restore = async (from: BackupStore) =>
    await restoreBackup({
      ...opened,
      store: from,
      client,
      cells,
      migrations: shippedMigrations('postgres'),
      analytics: undefined,
      overwrites: false,
      removes_pending: true,
      onTable: (table) => void loaded.push(table),
    })
  const offline: BackupStore = {
    ...store,
    get: async (name) => {
      if (loaded.includes('east/webhook_endpoints')) throw new Error('the store is offline')
      return await store.get(name)
    },
  }
  await expect(restore(offline)).rejects.toThrow('the store is offline')
  loaded.length = 0
  await restore(store)
  expect(loaded.filter((table) => table.startsWith('east/'))).toEqual([])
  await expect(restore(store)).rejects.toThrow('--overwrite')
  const { compared, differences } = await compareWithBackup(opened.manifest, {
    client,
    cells,
    analytics: undefined,
  })
  expect(differences).toEqual([])
  expect(compared).toBeGreaterThan(2 * 70)
  // The first organization is placed in the cell with the first name.
  for (const [index, of] of [cell, client].entries()) {
    const { rows } = await of.query<{ id: string; org_id: string }>('select id, org_id from checks')
    const [tenant] = tenants.slice(index)
    const found = rows.map(({ id }) => id)
    expect(new Set(rows.map(({ org_id }) => org_id))).toEqual(new Set([tenant?.org_id]))
    expect(tenant && before.get(tenant)?.filter((id) => !found.includes(id))).toEqual([])
    await of.end()
  }
})
