import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { testDatabase } from '../../../test/database.ts'
import { createLog } from '../log.ts'
import { openDatabase, pingDatabase } from './db.ts'
import { createDatabaseWatch } from './watch.ts'

const admin = testDatabase()
const role = `limited_${randomBytes(6).toString('hex')}`
const LIMIT = 2

beforeAll(async () => {
  await sql`create role ${sql.id(role)} login connection limit ${sql.lit(LIMIT)}`.execute(admin)
})
afterAll(async () => {
  await sql`drop role ${sql.id(role)}`.execute(admin)
})

/** Opens a pool of a role that may have two connections. */
function openLimited(pool_size: number) {
  const watch = createDatabaseWatch()
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const server = { ...inject('postgres'), user: role }
  const db = openDatabase({ server, pool_size, prepared_statements: true, log, watch })
  return { db, watch, lines }
}

/** Takes all connections that the role may have, and returns how to end them. */
async function takeAll(): Promise<() => Promise<void>> {
  const config = { ...inject('postgres'), user: role }
  const clients = Array.from({ length: LIMIT }, () => new Client(config))
  await Promise.all(clients.map((client) => client.connect()))
  return async () => {
    await Promise.all(clients.map((client) => client.end()))
  }
}

it('statements beyond the connection limit wait for connections of the pool', async () => {
  const { db, watch, lines } = openLimited(10)
  try {
    const statements = Array.from(
      { length: 20 },
      async () => await sql`select pg_sleep(0.01)`.execute(db),
    )
    await Promise.all(statements)
    expect(watch.read().errors.too_many_connections).toBeGreaterThan(0)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain('too many connections for role')
  } finally {
    await db.destroy()
  }
})

it('a pool without a connection gets one when others end', async () => {
  const release = await takeAll()
  const { db, watch } = openLimited(10)
  try {
    const waiting = pingDatabase(db)
    await expect.poll(() => watch.read().errors.too_many_connections, { interval: 5 }).not.toBe(0)
    await release()
    await waiting
  } finally {
    await db.destroy()
  }
})
