import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createLog } from '../log.ts'
import { type Database, openDatabase } from './db.ts'
import { type Migration, migrate, readMigrations } from './migrate.ts'

const admin = testDatabase()
const opened: { name: string; db: Database }[] = []

/** Creates an empty database on the shared server. */
async function emptyDatabase(): Promise<Database> {
  const name = `migrate_test_${process.pid}_${opened.length}`
  await sql`create database ${sql.id(name)}`.execute(admin)
  const db = openDatabase({
    server: { ...inject('postgres'), database: name },
    pool_size: 4,
    prepared_statements: true,
    log: createLog('silent'),
  })
  opened.push({ name, db })
  return db
}

afterAll(async () => {
  for (const { name, db } of opened) {
    await db.destroy()
    await sql`drop database ${sql.id(name)} with (force)`.execute(admin)
  }
})

const migration = (name: string, text: string): Migration => ({
  name,
  text,
  checksum: createHash('sha256').update(text).digest('hex'),
})

const tables = async (db: Database): Promise<string[]> => {
  const { rows } = await sql<{ tablename: string }>`
    select tablename from pg_tables where schemaname = 'public' order by 1`.execute(db)
  return rows.map(({ tablename }) => tablename)
}

const ONE = migration('0001_one.sql', 'create table one (id int); insert into one values (1);')
const TWO = migration('0002_two.sql', 'create table two (id int)')

describe('migrations', () => {
  it('are each applied once, in the order of their numbers', async () => {
    const db = await emptyDatabase()
    expect(await migrate(db, [ONE])).toEqual(['0001_one.sql'])
    expect(await migrate(db, [ONE, TWO])).toEqual(['0002_two.sql'])
    expect(await migrate(db, [ONE, TWO])).toEqual([])
    expect(await tables(db)).toEqual(['one', 'schema_migrations', 'two'])
  })

  it('leave nothing behind when one fails, and keep the previous ones', async () => {
    const db = await emptyDatabase()
    const bad = migration('0002_bad.sql', 'create table half (id int); select 1 / 0;')
    await expect(migrate(db, [ONE, bad])).rejects.toThrow(
      'Migration 0002_bad.sql failed: error: division by zero',
    )
    expect(await tables(db)).toEqual(['one', 'schema_migrations'])
    expect(await migrate(db, [ONE, TWO])).toEqual(['0002_two.sql'])
  })

  it('refuse a file that was edited after it had been applied', async () => {
    const db = await emptyDatabase()
    await migrate(db, [ONE])
    const edited = migration(ONE.name, `${ONE.text} -- better`)
    await expect(migrate(db, [edited, TWO])).rejects.toThrow(
      'Migration 0001_one.sql was changed after it had been applied.',
    )
    expect(await tables(db)).not.toContain('two')
  })

  it('refuse a database that is newer than the program', async () => {
    const db = await emptyDatabase()
    await migrate(db, [ONE, TWO])
    await expect(migrate(db, [ONE])).rejects.toThrow(
      'The database has migration 0002_two.sql, which this version of Vigil lacks',
    )
  })

  it('of several processes at the same time are applied by one of them', async () => {
    const db = await emptyDatabase()
    const slow = migration('0001_slow.sql', 'create table slow (id int); select pg_sleep(0.2);')
    const applied = await Promise.all([1, 2, 3].map(async () => await migrate(db, [slow, TWO])))
    expect(applied.flat().toSorted()).toEqual(['0001_slow.sql', '0002_two.sql'])
  })

  it('marked as online run outside of a transaction, and again after an interruption', async () => {
    const db = await emptyDatabase()
    await migrate(db, [ONE])
    const text = (last: string) =>
      `-- online\n\ncreate index concurrently if not exists ones on one (id)\n\n${last}`
    const name = '0002_online.sql'
    await expect(migrate(db, [ONE, migration(name, text('select 1 / 0'))])).rejects.toThrow(
      'division by zero',
    )
    const isThere = sql`select to_regclass('ones') is not null as is_there`
    expect((await isThere.execute(db)).rows).toEqual([{ is_there: true }])
    const fixed = migration(name, text('-- A comment.\nupdate one set id = 2'))
    const applied = await Promise.all([1, 2].map(async () => await migrate(db, [ONE, fixed])))
    expect(applied.flat()).toEqual([name])
    expect((await sql`select id from one`.execute(db)).rows).toEqual([{ id: 2 }])
  })

  it('have no time limit, and restore the limit of other statements', async () => {
    const db = openDatabase({
      server: { ...inject('postgres'), database: await nameOf(await emptyDatabase()) },
      pool_size: 1,
      prepared_statements: true,
      log: createLog('silent'),
    })
    try {
      const limit = sql<{ statement_timeout: string }>`show statement_timeout`
      const before = (await limit.execute(db)).rows
      const recordsLimit = migration(
        '0001_limit.sql',
        `create table seen as
        select current_setting('statement_timeout') as during`,
      )
      await migrate(db, [recordsLimit])
      expect((await sql`select during from seen`.execute(db)).rows).toEqual([{ during: '0' }])
      expect((await limit.execute(db)).rows).toEqual(before)
      expect(before).toEqual([{ statement_timeout: '30s' }])
    } finally {
      await db.destroy()
    }
  })

  it('are the numbered files of the folder, in order', () => {
    const folder = mkdtempSync(join(tmpdir(), 'vigil-migrations-'))
    for (const name of ['0002_b.sql', '0001_a.sql', 'notes.md', '3_short.sql', '0003_c.sql.orig']) {
      writeFileSync(join(folder, name), 'select 1')
    }
    expect(readMigrations(folder).map(({ name }) => name)).toEqual(['0001_a.sql', '0002_b.sql'])
    rmSync(folder, { recursive: true })
  })
})

async function nameOf(db: Database): Promise<string> {
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(db)
  return rows[0]?.name ?? ''
}
