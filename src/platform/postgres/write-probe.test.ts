import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { postgresAddress, testDatabase } from '../../../test/database.ts'
import { createLog } from '../log.ts'
import { openDatabase } from './db.ts'
import { createDatabaseWatch } from './watch.ts'
import { createReadinessProbe } from './write-probe.ts'

const shared = testDatabase()

/** A new database, with the setting of its sessions. */
async function databaseWith(setting: string) {
  const name = `${postgresAddress().database}_${randomBytes(4).toString('hex')}`
  await sql`create database ${sql.id(name)} template template0 strategy file_copy`.execute(shared)
  if (setting !== '') {
    await sql`alter database ${sql.id(name)} set ${sql.raw(setting)}`.execute(shared)
  }
  const watch = createDatabaseWatch()
  const server = { ...postgresAddress(), database: name }
  const log = createLog('silent')
  const db = openDatabase({ server, pool_size: 2, prepared_statements: true, log, watch })
  onTestFinished(async () => {
    await db.destroy()
    await sql`drop database ${sql.id(name)}`.execute(shared)
  })
  return { db, watch }
}

it('is ready while the database accepts writes, and leaves nothing behind', async () => {
  const { db, watch } = await databaseWith('')
  expect(await createReadinessProbe(db)()).toBe('ready')
  const { rows } = await sql`select relname from pg_class where relname like 'vigil%'`.execute(db)
  expect(rows).toEqual([])
  expect(Object.values(watch.read().errors)).toEqual(Object.values(watch.read().errors).fill(0))
  expect(watch.read().acquired).toBe(3)
})

it('is not ready while the database refuses writes, and counts why', async () => {
  const { db, watch } = await databaseWith('default_transaction_read_only = on')
  expect(await createReadinessProbe(db)()).toBe('database refuses writes')
  expect(watch.read().errors).toMatchObject({ read_only: 1, connection: 0 })
})

it('stays ready for an account that may not create tables', async () => {
  const { db } = await databaseWith('search_path = nowhere')
  expect(await createReadinessProbe(db)()).toBe('ready')
})

it('is not ready when the database cannot be reached', async () => {
  const server = 'postgres://vigil@127.0.0.1:1/vigil'
  const watch = createDatabaseWatch()
  const log = createLog('silent')
  const db = openDatabase({ server, pool_size: 1, prepared_statements: true, log, watch })
  onTestFinished(async () => await db.destroy())
  expect(await createReadinessProbe(db)()).toBe('database unreachable')
  expect(watch.read().errors).toMatchObject({ connection: 1 })
})
