/** An installation with two cells in two databases: each organization is served from its own. */
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cellServer, ownCellDatabase, ownDatabase } from '../../test/database.ts'
import { type Harness, openHarness, type Tenant } from '../../test/harness.ts'
import { type Relay, startRelay } from '../../test/support/relay.ts'
import { setCellOpen } from '../modules/cells/index.ts'
import { applyDirectoryChanges } from '../modules/directory/index.ts'
import type { Database } from '../platform/postgres/db.ts'
import { startJobs } from './index.ts'

const main = ownDatabase('whole')
const east = ownCellDatabase()
let relay: Relay
let harness: Harness
let inMain: Tenant
let inEast: Tenant

const nameOf = async (db: Database) =>
  (await sql<{ name: string }>`select current_database() as name`.execute(db)).rows[0]?.name ?? ''
const count = async (db: Database, table: string, orgId: string) => {
  const { rows } = await sql<{ rows: number }>`
    select count(*) as rows from ${sql.table(table)} where org_id = ${orgId}`.execute(db)
  return rows[0]?.rows
}
const check = async ({ keys }: Tenant, event_id: string) =>
  await harness.post(
    '/v1/check',
    { email: 'jane@shop.test', event_type: 'signup', event_id },
    { key: keys.live_secret },
  )

beforeAll(async () => {
  relay = await startRelay(cellServer())
  const url = `postgres://${cellServer().user}@127.0.0.1:${relay.port}/${await nameOf(east)}`
  // The relay refuses connections, so the service starts while a cell is down.
  harness = await openHarness({ db: main, settings: { VIGIL_CELLS: `east=${url}` } })
  await setCellOpen(main, 'east', true)
  inMain = await harness.createTenant()
  relay.open()
  await harness.core.cells[0]?.usable()
  inEast = await harness.createTenant()
})
afterAll(async () => {
  await harness.close()
  relay.close()
})

describe('two cells', () => {
  it('place a new organization in the open one with the fewest', async () => {
    const { rows } = await sql`select id, cell from organizations order by id`.execute(main)
    expect(rows).toEqual([
      { id: inMain.org_id, cell: 'main' },
      { id: inEast.org_id, cell: 'east' },
    ])
    const copies = await sql`select id from organizations`.execute(east)
    expect(copies.rows).toEqual([{ id: inEast.org_id }])
  })

  it('each serve their own organizations, with key and with membership', async () => {
    expect(await check(inMain, 'a')).toMatchObject({ status: 200 })
    expect(await check(inEast, 'a')).toMatchObject({ status: 200 })
    expect([
      await count(main, 'checks', inMain.org_id),
      await count(main, 'checks', inEast.org_id),
      await count(east, 'checks', inMain.org_id),
      await count(east, 'checks', inEast.org_id),
    ]).toEqual([1, 0, 0, 1])
    for (const { org_id } of [inMain, inEast]) {
      const token = await harness.signIn(org_id)
      const listed = await harness.get<{ checks: unknown[] }>(
        `/console/api/checks?org_id=${org_id}`,
        { token },
      )
      expect([listed.status, listed.body.content.checks.length]).toEqual([200, 1])
    }
  })

  it('apply what a cell causes in the directory', async () => {
    const phone = '+12025550143'
    const reported = await harness.post(
      '/v1/check/phone/report',
      { phone, outcome: 'fraud', confidence: 90 },
      { key: inEast.keys.live_secret },
    )
    expect(reported.status).toBe(200)
    expect(await count(main, 'reputation', inEast.org_id)).toBe(0)
    expect(await applyDirectoryChanges(east, main)).toBeGreaterThan(0)
    expect(await count(main, 'reputation', inEast.org_id)).toBeGreaterThan(0)
  })

  it('each have their jobs, sweeps and gauges', async () => {
    const jobs = startJobs(harness.core, harness.parts)
    // The jobs of a cell start when it is known to be usable.
    await harness.core.cells[0]?.usable()
    const { text } = await harness.core.metrics.render()
    await jobs.stop()
    for (const prefix of ['', 'east/']) {
      expect(text).toContain(`vigil_job_runs_total{name="${prefix}billing.post_usage",`)
      expect(text).toContain(`vigil_retention_lag_seconds{sweep="${prefix}events"}`)
    }
    expect(text).toContain('vigil_job_runs_total{name="east/directory.apply",')
    expect(text).not.toContain('"east/requests.sweep"')
    for (const cell of ['main', 'east']) {
      expect(text).toContain(`vigil_database_pool_max{cell="${cell}"}`)
      expect(text).toContain(`vigil_reviews_open{cell="${cell}"} 0`)
    }
    expect(text).toMatch(/vigil_build_info\{version="[^"]*"\} 1/)
  })
})

describe('a cell that is down', () => {
  beforeAll(() => relay.interrupt())

  it('stops its own organizations only, and /readyz names it', async () => {
    const refused = await check(inEast, 'b')
    expect(refused.status).toBe(500)
    expect(refused.headers['retry-after']).toBeDefined()
    expect(await check(inMain, 'b')).toMatchObject({ status: 200 })
    const ready = await harness.app.inject('/readyz')
    expect([ready.statusCode, ready.json()]).toEqual([
      200,
      { status: 'ready', cells: { east: 'database unreachable' } },
    ])
    const { text } = await harness.core.metrics.render()
    expect(text).toContain('vigil_database_writable{cell="east"} 0')
  })

  it('is passed over when an organization is created', async () => {
    await setCellOpen(main, 'main', true)
    const { id } = await harness.services.accounts.createOrganization({ name: 'C', plan: 'free' })
    const { rows } = await sql`select cell from organizations where id = ${id}`.execute(main)
    expect(rows).toEqual([{ cell: 'main' }])
  })
})
