/** Responses while the database is down (OP-150). */
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createLog } from '../../src/platform/log.ts'
import { type Database, openDatabase } from '../../src/platform/postgres/db.ts'
import { ownDatabase, postgresAddress } from '../database.ts'
import { createTenant, type Harness, openHarness, type Tenant } from '../harness.ts'
import { type Relay, startRelay } from '../support/relay.ts'

const own = ownDatabase('whole')
let relay: Relay
let db: Database
let harness: Harness
let tenant: Tenant
beforeAll(async () => {
  relay = await startRelay()
  relay.open()
  const { rows } = await sql<{ name: string }>`select current_database() as name`.execute(own)
  const database = rows[0]?.name ?? ''
  db = openDatabase({
    server: { ...postgresAddress(), host: '127.0.0.1', port: relay.port, database },
    pool_size: 2,
    prepared_statements: true,
    log: createLog('silent'),
  })
  harness = await openHarness({ db })
  tenant = await createTenant(harness.services)
})
afterAll(async () => {
  await harness.close()
  await db.destroy()
  relay.close()
})

const check = async () =>
  await harness.post('/v1/check', { email: 'jane@example.test' }, { key: tenant.keys.live_secret })

it('a request while the database is down is a 500 with Retry-After, and succeeds afterwards', async () => {
  expect((await check()).status).toBe(200)
  relay.interrupt()
  const { status, headers, body } = await check()
  expect({ status, body }).toEqual({
    status: 500,
    body: { success: false, message: 'Internal server error' },
  })
  expect(headers['retry-after']).toBe('5')
  relay.open()
  expect((await check()).status).toBe(200)
})
