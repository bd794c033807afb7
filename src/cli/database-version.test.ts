import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import { testDatabase } from '../../test/database.ts'
import { TEST_MASTER_KEY } from '../../test/harness.ts'
import { startRelay } from '../../test/support/relay.ts'
import { createLog } from '../platform/log.ts'
import { packageRoot } from '../platform/package-root.ts'
import { type Database, openDatabase } from '../platform/postgres/db.ts'
import { type Migration, migrate, readMigrations } from '../platform/postgres/migrate.ts'
import { runProgram } from './program.ts'

const MIGRATIONS = readMigrations(join(packageRoot(), 'migrations', 'postgres'))
const NOWHERE = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'

/** One command of each kind that opens the database. */
const COMMANDS = [
  ['org', 'create', '--name', 'Nile Market'],
  ['key', 'list', '--org', NOWHERE],
  ['order', 'explain', NOWHERE],
  ['replay', '--from', '2026-03-01', '--to', '2026-03-02'],
  ['push', 'status', '--org', NOWHERE],
  ['mdm', 'status'],
  ['check', 'explain', NOWHERE],
]

const shared = testDatabase()
/** Has no migrations. */
const empty = newName()
/** Has all migrations but the last. */
const older = newName()
/** Has one migration more than the program. */
const newer = newName()
const LATER = { name: '9999_later.sql', text: 'select 1', checksum: 'x' }
let folder = ''

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vigil-version-'))
  await create(empty)
  await create(older)
  await migrateWith(older, MIGRATIONS.slice(0, -1))
  await copyOlder(newer)
  await migrateWith(newer, [...MIGRATIONS, LATER])
})
afterAll(async () => {
  rmSync(folder, { recursive: true })
  for (const each of [empty, older, newer]) await drop(each)
})

function newName(): string {
  return `version_${randomBytes(6).toString('hex')}`
}

const open = (database: string): Database =>
  openDatabase({
    server: { ...inject('postgres'), database },
    pool_size: 2,
    prepared_statements: false,
    log: createLog('silent'),
  })

const drop = async (database: string) =>
  await sql`drop database ${sql.id(database)} with (force)`.execute(shared)

const create = async (database: string) =>
  await sql`create database ${sql.id(database)}`.execute(shared)

const copyOlder = async (database: string) =>
  await sql`create database ${sql.id(database)} template ${sql.id(older)} strategy file_copy`.execute(
    shared,
  )

async function migrateWith(database: string, migrations: Migration[]): Promise<void> {
  const db = open(database)
  await migrate(db, migrations)
  await db.destroy()
}

/** A database for one test. */
async function ownDatabase(prepare: (database: string) => Promise<unknown>): Promise<string> {
  const database = newName()
  await prepare(database)
  onTestFinished(async () => void (await drop(database)))
  return database
}

type Printed = { status: number; stdout: string; stderr: string }

const run = async (name: string, ...args: string[]): Promise<Printed> => {
  const { host, port, user } = inject('postgres')
  const url = `postgres://${user}@localhost/${name}?host=${encodeURIComponent(host)}&port=${port}`
  return await runAt(url, ...args)
}

async function runAt(url: string, ...args: string[]): Promise<Printed> {
  const printed = { stdout: '', stderr: '' }
  const status = await runProgram(args, {
    working_folder: folder,
    environment: {
      DATABASE_URL: url,
      VIGIL_MASTER_KEY: TEST_MASTER_KEY,
      VIGIL_DATA_DIR: folder,
    },
    stdout: (text) => {
      printed.stdout += text
    },
    stderr: (text) => {
      printed.stderr += text
    },
  })
  return { status, ...printed }
}

async function tableCount(database: string): Promise<number> {
  const db = open(database)
  const { rows } = await sql`select from pg_tables where schemaname = 'public'`.execute(db)
  await db.destroy()
  return rows.length
}

describe.each(COMMANDS.map((args) => [args.slice(0, 2).join(' '), args]))('vigil %s', (_, args) => {
  it('refuses an empty database, and leaves it empty', async () => {
    expect(await run(empty, ...args)).toEqual({
      status: 1,
      stdout: '',
      stderr: 'The database is empty. Run `vigil migrate`, or start the service, and try again.',
    })
    expect(await tableCount(empty)).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  it('refuses a database that is older or newer than the program', async () => {
    expect((await run(older, ...args)).stderr).toBe(
      'The database is older than this version of Vigil (pending migrations: 1). Run `vigil migrate`, or start the service, and try again.',
    )
    const { status, stderr } = await run(newer, ...args)
    expect(status).toBe(1)
    expect(stderr).toContain('was last used by a newer version')
  })
})

describe('vigil migrate without migrating', () => {
  it('lists what is applied and what is pending', async () => {
    const { status, stdout } = await run(older, 'migrate', '--status')
    expect(status).toBe(0)
    const last = MIGRATIONS.at(-1)?.name ?? ''
    expect(stdout).toMatch(/^applied {2}postgresql {2}0001_\w+\.sql {2}\d{4}-\d\d-\d\dT/)
    expect(stdout).toContain(`pending  postgresql  ${last}Pending migrations: 1`)
    const { stdout: json } = await run(older, 'migrate', '--status', '--json')
    const { pending, migrations } = JSON.parse(json) as { pending: number; migrations: object[] }
    expect(pending).toBe(1)
    expect(migrations).toHaveLength(MIGRATIONS.length)
    expect(migrations.at(-1)).toEqual({
      database: 'postgresql',
      name: last,
      is_applied: false,
      applied_at: null,
    })
    expect((await run(older, 'mdm', 'status')).stderr).toContain('(pending migrations: 1)')
  })

  it('prints the SQL that it would run', async () => {
    const name = await ownDatabase(copyOlder)
    const { stdout } = await run(name, 'migrate', '--dry-run', '--json')
    const { name: last, text: sql_text } = MIGRATIONS.at(-1) ?? { name: '', text: '' }
    const expected = [{ database: 'postgresql', name: last, sql: sql_text.trim() }]
    expect(JSON.parse(stdout)).toEqual({ pending: expected })
    await migrateWith(name, MIGRATIONS)
    expect((await run(name, 'migrate', '--dry-run')).stdout).toBe('No pending migrations')
  })

  it('does so in an empty database, which stays empty', async () => {
    const { stdout } = await run(empty, 'migrate', '--status')
    expect(stdout).toContain(`Pending migrations: ${MIGRATIONS.length}`)
    expect((await run(empty, 'migrate', '--dry-run')).stdout).toContain(`-- postgresql: 0001_`)
    expect(await tableCount(empty)).toBe(0)
  })

  it('refuses both options together, and a database that is newer than the program', async () => {
    expect((await run(newer, 'migrate', '--status', '--dry-run')).stderr).toContain(
      'cannot be used with',
    )
    expect((await run(newer, 'migrate', '--status')).stderr).toContain(
      'was last used by a newer version',
    )
  })
})

it('vigil migrate brings a database to the version of the program', async () => {
  const name = await ownDatabase(create)
  const { status, stdout } = await run(name, 'migrate')
  expect(status).toBe(0)
  expect(stdout).toContain(MIGRATIONS.at(-1)?.name ?? '')
  expect(await run(name, 'mdm', 'status')).toMatchObject({ status: 0 })
})

describe('while the server does not accept connections', () => {
  it('vigil migrate waits for it, and other commands fail', async () => {
    const relay = await startRelay()
    onTestFinished(relay.close)
    const name = await ownDatabase(create)
    const url = `postgres://${inject('postgres').user}@127.0.0.1:${relay.port}/${name}`
    expect((await runAt(url, 'mdm', 'status')).stderr).toContain('DATABASE_URL cannot be used')
    const refused = relay.refused()
    const migrating = runAt(url, 'migrate')
    await expect.poll(() => relay.refused(), { interval: 5 }).toBeGreaterThan(refused + 1)
    relay.open()
    expect(await migrating).toMatchObject({ status: 0 })
  })
})
