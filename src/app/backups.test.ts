import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ownDatabase, postgresAddress, testDatabase } from '../../test/database.ts'
import { type Harness, openHarness, TEST_MASTER_KEY, type Tenant } from '../../test/harness.ts'
import type { Io } from '../cli/io.ts'
import { runProgram } from '../cli/program.ts'
import { compareWithBackup } from '../platform/backup/compare.ts'
import type { Manifest, Summary } from '../platform/backup/format.ts'
import { checkBackup, openBackup } from '../platform/backup/open.ts'
import { restoreBackup } from '../platform/backup/restore.ts'
import { createFolderStore } from '../platform/backup/store.ts'
import { readMasterKeys } from '../platform/crypto/master-key.ts'
import { openConnection } from '../platform/postgres/connection.ts'
import { takeBackup } from './backups.ts'
import { shippedMigrations } from './stores.ts'

const own = ownDatabase('whole')
const shared = testDatabase()
const folder = mkdtempSync(join(tmpdir(), 'vigil-backups-'))
const store = createFolderStore(join(folder, 'store'))
const target = `${postgresAddress().database}_${randomBytes(4).toString('hex')}`
const urlOf = (database: string): string => {
  const { host, port, user } = postgresAddress()
  return `postgres://${user}@localhost/${database}?host=${encodeURIComponent(host)}&port=${port}`
}
const MASTER_KEYS = readMasterKeys({ configured: TEST_MASTER_KEY, data_dir: folder })
const KEYS = { masterKeys: MASTER_KEYS, passphrase: undefined }
const MIGRATIONS = shippedMigrations('postgres')

let harness: Harness
let tenant: Tenant
let summary: Summary
let manifest: Manifest
/** Checks that were acknowledged before the backup began. */
const before: string[] = []

async function check(): Promise<string> {
  const key = tenant.keys.live_secret
  const { status, body } = await harness.post('/v1/check', { email: 'a@b.example' }, { key })
  expect(status).toBe(200)
  return body.content.check_id
}

beforeAll(async () => {
  harness = await openHarness({ db: own, settings: { VIGIL_BACKUP_LOGS: 'false' } })
  tenant = await harness.createTenant()
  for (let count = 0; count < 20; count += 1) before.push(await check())
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(own)
  const server = { ...postgresAddress(), database: rows[0]?.name ?? '' }
  // Requests go on while the tables are copied.
  const done = new AbortController()
  const load = Array.from({ length: 4 }, async () => {
    while (!done.signal.aborted) await check()
  })
  try {
    summary = await takeBackup({ ...harness.stores, server }, harness.config, { store })
  } finally {
    done.abort()
    await Promise.all(load)
  }
  manifest = (await openBackup(store, 'latest', KEYS)).manifest
  await sql`create database ${sql.id(target)}`.execute(shared)
})
afterAll(async () => {
  await harness.close()
  await sql`drop database ${sql.id(target)} with (force)`.execute(shared)
  rmSync(folder, { recursive: true })
})

const restoreTo = async (database: string, overwrites = false, from = store) => {
  const client = await openConnection({ ...postgresAddress(), database }, 'vigil-restore')
  try {
    const opened = await openBackup(from, 'latest', KEYS)
    await checkBackup(from, opened, () => undefined)
    await restoreBackup({
      ...opened,
      store: from,
      client,
      migrations: MIGRATIONS,
      analytics: undefined,
      overwrites,
      removes_pending: true,
      onTable: () => undefined,
    })
  } finally {
    await client.end()
  }
}

async function tablesIn(database: string): Promise<number> {
  const client = await openConnection({ ...postgresAddress(), database }, 'vigil-restore')
  const { rows } = await client.query<{ tables: number }>(
    'select count(*)::integer as tables from pg_tables where schemaname = current_schema()',
  )
  await client.end()
  return rows[0]?.tables ?? 0
}

const run = async (args: string[], environment: Record<string, string> = {}) => {
  const printed = { stdout: '', stderr: '' }
  const io: Io = {
    working_folder: folder,
    environment: {
      DATABASE_URL: urlOf(target),
      VIGIL_MASTER_KEY: TEST_MASTER_KEY,
      VIGIL_DATA_DIR: folder,
      VIGIL_BACKUP_TO: join(folder, 'store'),
      ...environment,
    },
    stdout: (text) => void (printed.stdout += `${text}\n`),
    stderr: (text) => void (printed.stderr += `${text}\n`),
  }
  const status = await runProgram(args, io)
  return { status, ...printed }
}

describe('a backup that was taken while requests were served', () => {
  it('is refused where it is damaged, before the target has a single table', async () => {
    const name = join(folder, 'store', 'data', summary.id)
    const [segment = ''] = readdirSync(name).filter((each) => /^\d+$/.test(each))
    const path = join(name, segment)
    const bytes = readFileSync(path)
    const faults = [bytes.subarray(0, -1), Buffer.concat([bytes.subarray(0, -1), Buffer.alloc(1)])]
    for (const fault of faults) {
      writeFileSync(path, fault)
      const { status, stderr } = await run(['restore', '--no-logs'])
      expect(status).toBe(1)
      expect(stderr).toContain(`The backup ${summary.id} is damaged: `)
    }
    rmSync(path)
    expect((await run(['restore', '--no-logs'])).stderr).toContain('is missing')
    writeFileSync(path, bytes)
    const other = { VIGIL_MASTER_KEY: randomBytes(32).toString('base64') }
    expect((await run(['restore', '--no-logs'], other)).stderr).toContain('cannot be opened')
    expect(await tablesIn(target)).toBe(0)
  })

  it('leaves nothing where its restore is interrupted, and can be restored then', async () => {
    let reads = 0
    const failing = {
      ...store,
      get: async (name: string) => {
        reads += 1
        // Every segment is read once by the check, so this is in the middle of the restore.
        const all = Object.values(manifest.postgres.contents).flatMap(({ segments }) => segments)
        if (reads > all.length + 10) throw new Error('the store is offline')
        return await store.get(name)
      },
    }
    await expect(restoreTo(target, false, failing)).rejects.toThrow('the store is offline')
    expect(await tablesIn(target)).toBe(0)
    await restoreTo(target)
  })

  it('equals what was acknowledged when it was taken', async () => {
    const client = await openConnection({ ...postgresAddress(), database: target }, 'vigil-restore')
    const ids = async (statement: string) =>
      (await client.query<{ id: string }>(statement)).rows.map(({ id }) => id).toSorted()
    const checks = await ids('select id::text from checks')
    expect(before.filter((id) => !checks.includes(id))).toEqual([])
    // Each request is one transaction, so a copy between two tables would show a half of one.
    const { rows } = await client.query<{ charged: number; events: number }>(`
      select (select sum(quantity) from usage_events where meter = 'check')::integer as charged,
        (select count(*) from events where type = 'email.check.completed')::integer as events`)
    expect(rows).toEqual([{ charged: checks.length, events: checks.length }])
    expect(await compareWithBackup(manifest, { client, analytics: undefined })).toEqual({
      compared: manifest.postgres.tables.length,
      differences: [],
    })
    await client.query('delete from checks where id = $1', [checks[0]])
    const { differences } = await compareWithBackup(manifest, { client, analytics: undefined })
    expect(differences.map(({ table }) => table)).toEqual(['checks'])
    await client.end()
  })

  it('replaces data only with a confirmation, and then all of it', async () => {
    await expect(restoreTo(target)).rejects.toThrow('--overwrite')
    expect((await run(['restore', '--no-logs', '--overwrite'])).stderr).toContain(
      'Confirm with --yes',
    )
    const args = ['restore', summary.id, '--no-logs', '--overwrite', '--yes', '--json']
    const { status, stdout } = await run(args)
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ id: summary.id, taken_at: summary.taken_at })
    const client = await openConnection({ ...postgresAddress(), database: target }, 'vigil-restore')
    const { differences } = await compareWithBackup(manifest, { client, analytics: undefined })
    await client.end()
    expect(differences).toEqual([])
  })

  it('is not restored while a service uses the target', async () => {
    const client = await openConnection({ ...postgresAddress(), database: target }, 'vigil')
    await expect(restoreTo(target, true)).rejects.toThrow('Stop it')
    await client.end()
  })

  it('is listed and deleted by commands', async () => {
    const { stdout } = await run(['backup', 'list', '--json'])
    expect(JSON.parse(stdout)).toEqual({
      backups: [
        {
          id: summary.id,
          taken_at: summary.taken_at,
          finished_at: summary.finished_at,
          bytes: summary.bytes,
          rows: summary.rows,
          logs: false,
          vigil_version: summary.vigil_version,
          master_key_ids: [MASTER_KEYS.current.id],
        },
      ],
      incomplete: [],
    })
    expect((await run(['backup', 'prune'])).stdout).toBe('No backup is old enough\n')
    expect((await run(['backup', '--store', 's3://a'])).stderr).toContain('ACCESS_KEY_ID')
    expect((await run(['backup', 'list'], { VIGIL_BACKUP_TO: '' })).stderr).toContain('--store')
  })
})
