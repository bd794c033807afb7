import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, inject, it } from 'vitest'
import { createLog } from '../log.ts'
import { OperatorError } from '../operator-error.ts'
import type { Migration } from '../postgres/migrate.ts'
import { createClickHouse } from './client.ts'
import { type Analytics, type AnalyticsOptions, addressOf, openAnalytics } from './engine.ts'
import { EngineRefusal, EngineUnavailable } from './errors.ts'
import { lifetimesOf, pendingAnalyticsMigrations } from './migrate.ts'

const migration = (name: string, text: string): Migration => ({
  name,
  text,
  checksum: createHash('sha256').update(text).digest('hex'),
})
const THINGS = migration(
  '0001_things.sql',
  `create table if not exists things (id UInt64, at DateTime) engine = MergeTree order by id
   ttl at + toIntervalDay({retention_days}) settings ttl_only_drop_parts = 1;
   create table if not exists others (id UInt64) engine = MergeTree order by id;`,
)
const MORE = migration('0002_more.sql', 'alter table things add column if not exists note String;')

const opened: Analytics[] = []
const databases: string[] = []
afterEach(async () => {
  for (const name of databases.splice(0)) await drop(name)
  await Promise.all(opened.splice(0).map(async (analytics) => await analytics.close()))
})

/** Uses the shared engine as the server of CLICKHOUSE_URL. */
function open(database: string, options: Partial<AnalyticsOptions> = {}): Analytics {
  const { url, username, password } = inject('clickhouse')
  const address = new URL(`/${database}`, url)
  address.username = username
  address.password = password
  const analytics = openAnalytics({
    clickhouse_url: address.href,
    cluster: undefined,
    data_dir: '',
    migrations: [THINGS],
    retention_days: 30,
    memory_mb: 512,
    threads: 1,
    query_timeout_ms: 10_000,
    log: createLog('silent'),
    progress: () => undefined,
    ...options,
  })
  opened.push(analytics)
  return analytics
}

async function drop(database: string): Promise<void> {
  const admin = createClickHouse({
    address: () => Promise.resolve(inject('clickhouse')),
    timeout_ms: 10_000,
    log: createLog('silent'),
  })
  await admin.command(`drop database if exists ${database}`)
  await admin.close()
}

function newDatabase(): string {
  const name = `engine_${randomUUID().replaceAll('-', '')}`
  databases.push(name)
  return name
}

const notes = async ({ clickhouse }: Analytics) =>
  await clickhouse.query<{ name: string; n: number }>(
    'select name, count() as n from vigil_migrations group by name order by name',
  )

describe('the analytics engine', () => {
  it('creates its database and tables once, before the first response', async () => {
    const analytics = open(newDatabase())
    expect(await analytics.clickhouse.query('select count() as n from things')).toEqual([{ n: 0 }])
    expect(await analytics.ready()).toEqual([THINGS.name])
    expect(await notes(analytics)).toEqual([{ name: THINGS.name, n: 1 }])
  })

  it('migrates the database of an older version, and does nothing if it is up to date', async () => {
    const database = newDatabase()
    await open(database).ready()
    const newer = open(database, { migrations: [THINGS, MORE] })
    expect(await newer.ready()).toEqual([MORE.name])
    expect(await newer.clickhouse.query('select note from things')).toEqual([])
    expect(await open(database, { migrations: [THINGS, MORE] }).ready()).toEqual([])
  })

  it('can be set up by several nodes at the same time', async () => {
    const database = newDatabase()
    const nodes = Array.from({ length: 4 }, () => open(database, { migrations: [THINGS, MORE] }))
    await Promise.all(nodes.map(async (node) => await node.ready()))
    const names = (await notes(open(database, { migrations: [THINGS, MORE] }))).map(
      ({ name }) => name,
    )
    expect(names).toEqual([THINGS.name, MORE.name])
  })

  it('refuses a database of a newer version and edited migrations', async () => {
    const database = newDatabase()
    await open(database, { migrations: [THINGS, MORE] }).ready()
    const older = open(database)
    await expect(older.ready()).rejects.toThrow(OperatorError)
    await expect(older.ready()).rejects.toThrow(/0002_more\.sql.*newer version/)
    await expect(older.clickhouse.query('select 1')).rejects.toThrow(EngineUnavailable)
    const edited = [THINGS, migration(MORE.name, 'alter table things drop column note')]
    await expect(open(database, { migrations: edited }).ready()).rejects.toThrow(
      '0002_more.sql of the analytics database was changed',
    )
  })

  it('names a migration that fails, and recovers when it is fixed', async () => {
    const database = newDatabase()
    const broken = migration(MORE.name, 'alter table things add column note Nonsense')
    const failing = open(database, { migrations: [THINGS, broken] })
    await expect(failing.ready()).rejects.toThrow(/^Migration 0002_more\.sql .* failed: Code 50/)
    expect(await open(database, { migrations: [THINGS, MORE] }).ready()).toEqual([MORE.name])
  })

  it('refuses the tables of a single server for a cluster', async () => {
    const database = newDatabase()
    await open(database).ready()
    await expect(open(database, { cluster: 'main' }).ready()).rejects.toThrow(
      'has tables of a single server (others, things)',
    )
  })

  it('lists pending migrations without changing anything', async () => {
    const database = newDatabase()
    const analytics = open(database)
    await analytics.ready()
    const pending = await pendingAnalyticsMigrations(analytics.clickhouse, [THINGS, MORE])
    expect(pending.map(({ name }) => name)).toEqual([MORE.name])
    expect(await notes(analytics)).toHaveLength(1)
  })

  it('applies the retention setting, also when it changes', async () => {
    const database = newDatabase()
    const lifetime = async (analytics: Analytics) => {
      const rows = await analytics.clickhouse.query<{ sql: string }>(
        "select create_table_query as sql from system.tables where database = {database:String} and name = 'things'",
        { database },
      )
      return /TTL (.*?) SETTINGS/.exec(rows[0]?.sql ?? '')?.[1]
    }
    expect(await lifetime(open(database))).toBe('at + toIntervalDay(30)')
    expect(await lifetime(open(database, { retention_days: 7 }))).toBe('at + toIntervalDay(7)')
    expect(await lifetime(open(database, { retention_days: 7 }))).toBe('at + toIntervalDay(7)')
  })

  it('creates its tables again when they are missing', async () => {
    const database = newDatabase()
    const analytics = open(database)
    await analytics.ready()
    await drop(database)
    const select = async () => await analytics.clickhouse.query('select count() as n from things')
    await expect(select()).rejects.toThrow(EngineRefusal)
    expect(await select()).toEqual([{ n: 0 }])
  })

  it('is available if it responds, also before its database exists', async () => {
    const database = newDatabase()
    expect(await open(database).isAvailable()).toBe(true)
    const gone = new URL('http://127.0.0.1:1/vigil')
    expect(await open(database, { clickhouse_url: gone.href }).isAvailable()).toBe(false)
  })

  it('does not start if it is not used', async () => {
    const data_dir = mkdtempSync(join(tmpdir(), 'vigil-engine-'))
    await open('', { data_dir, clickhouse_url: undefined }).close()
    expect(readdirSync(data_dir)).toEqual([])
    rmSync(data_dir, { recursive: true })
  })
})

describe('the address of a server', () => {
  it.each([
    ['http://localhost:8123', ['http://localhost:8123', 'default', '', 'default']],
    ['https://u%40x:p%2F@db.example:8443/logs', ['https://db.example:8443', 'u@x', 'p/', 'logs']],
  ])('of %s is parsed', (serverUrl, expected) => {
    const { url, username, password, database } = addressOf(serverUrl)
    expect([url, username, password, database]).toEqual(expected)
  })
})

describe('lifetimes', () => {
  it('are those of the newest migration that sets one', () => {
    const later = migration(
      '0003.sql',
      'alter table things modify ttl at + toIntervalDay({retention_days})',
    )
    expect(lifetimesOf([THINGS, later])).toEqual([
      { table: 'things', lifetime: 'at + toIntervalDay({retention_days})' },
    ])
  })
})
