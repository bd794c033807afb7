/** An organization moves between two databases while it is in use. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cellServer, ownCellDatabase, ownDatabase, postgresAddress } from '../../test/database.ts'
import { type Harness, openHarness, type Tenant } from '../../test/harness.ts'
import {
  cancelMove,
  findMoveUnderWay,
  insertMove,
  moveOrganization,
} from '../modules/cells/index.ts'
import { applyDirectoryChanges } from '../modules/directory/index.ts'
import { openConnection } from '../platform/postgres/connection.ts'
import type { Database } from '../platform/postgres/db.ts'

const main = ownDatabase('whole')
const east = ownCellDatabase()
const CELLS: Record<string, Database> = { main, east }
let harness: Harness
let tenant: Tenant
/** Between the requests of a client, so that the history stays small. */
const PAUSE_MS = 20
/** A move sends hundreds of statements, which take long on a machine that is busy. */
const TIMEOUT_MS = 300_000
const POLL = { timeout: 60_000 }
const closing = new AbortController()

const nameOf = async (db: Database) =>
  (await sql<{ name: string }>`select current_database() as name`.execute(db)).rows[0]?.name ?? ''

beforeAll(async () => {
  const { host, port, user } = cellServer()
  const url = `postgres://${user}@localhost/${await nameOf(east)}?host=${encodeURIComponent(host)}&port=${port}`
  harness = await openHarness({ db: main, settings: { VIGIL_CELLS: `east=${url}` } })
  await harness.core.cells[0]?.usable()
  tenant = await harness.createTenant()
})
afterAll(async () => {
  closing.abort()
  await harness.close()
})

async function optionsOf(source: string, target: string, progress: (step: string) => void) {
  const sideOf = async (name: string) => {
    const db = CELLS[name] ?? main
    const server = {
      ...(db === east ? cellServer() : postgresAddress()),
      database: await nameOf(db),
    }
    const connect = async () => await openConnection(server, 'vigil-move')
    return { is_directory: name === 'main', connect }
  }
  const { org_id } = tenant
  const { clock, newId, directory } = harness.core
  await insertMove(directory, { org_id, id: newId(clock.now()), source, target })
  const move = await findMoveUnderWay(directory)
  if (!move) throw new Error('no move')
  return {
    directory,
    clock,
    move,
    name: 'Shop',
    source: await sideOf(move.source),
    target: await sideOf(move.target),
    pause_seconds: 30,
    settle_seconds: 0,
    progress,
    applyChanges: async () => await applyDirectoryChanges(directory, directory),
  }
}

const move = async (source: string, target: string, progress: (step: string) => void = () => {}) =>
  await moveOrganization(await optionsOf(source, target, progress))

const check = async (event_id: string) => {
  const { status, body, headers } = await harness.post<{ check_id: string }>(
    '/v1/check',
    { email: 'jane@shop.test', event_type: 'signup', event_id },
    { key: tenant.keys.live_secret },
  )
  return { status, headers, id: status === 200 ? body.content.check_id : undefined }
}

const countIn = async (db: Database, table: string) => {
  const { rows } = await sql<{ rows: number }>`
    select count(*) as rows from ${sql.table(table)} where org_id = ${tenant.org_id}`.execute(db)
  return rows[0]?.rows
}

/** Tables of a database that have rows of the organization, or of its move. */
async function tablesWithRows(db: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select table_name as name from information_schema.columns join pg_class on relname = table_name
    where table_schema = 'public' and column_name = 'org_id' and relkind = 'r' order by 1`.execute(
    db,
  )
  const found: string[] = []
  for (const { name } of rows) if (Number(await countIn(db, name)) > 0) found.push(name)
  return found
}

/** Sends checks one after the other until it is stopped, and returns those that were acknowledged. */
function startChecks(name: string) {
  const acknowledged = new Map<string, string>()
  const stopped = new AbortController()
  const { signal } = stopped
  const send = async (client: number) => {
    for (let number = 0; !signal.aborted && !closing.signal.aborted; number += 1) {
      const event = `${name}-${client}-${number}`
      const { id, headers } = await check(event)
      if (id === undefined) expect(headers['retry-after']).toBeDefined()
      else acknowledged.set(event, id)
      await sleep(PAUSE_MS)
    }
  }
  const clients = [1, 2, 3].map(send)
  return async () => {
    stopped.abort()
    await Promise.all(clients)
    return acknowledged
  }
}

async function expectStored(db: Database, acknowledged: Map<string, string>) {
  const { org_id } = tenant
  const { rows } = await sql<{ event_id: string; id: string; usages: number; events: number }>`
    with usages as (
      select unnest(coalesce(source_ids, array[source_id])) as id, count(*) as count
      from usage_events where org_id = ${org_id} group by 1
    ), completed as (
      select (body::json -> 'data' ->> 'check_id')::uuid as id, count(*) as count
      from events where org_id = ${org_id} and type = 'email.check.completed' group by 1
    )
    select request ->> 'event_id' as event_id, id::text, usages.count as usages,
      completed.count as events
    from checks left join usages using (id) left join completed using (id)
    where org_id = ${org_id}`.execute(db)
  const stored = new Map(rows.map((row) => [row.event_id, row]))
  expect(rows.length).toBe(stored.size)
  for (const [event_id, id] of acknowledged) {
    expect(stored.get(event_id)).toEqual({ event_id, id, usages: 1, events: 1 })
  }
}

const CELL_ONLY = ['checks', 'usage_events', 'events', 'orders', 'reputation']

describe('an organization in use', { timeout: TIMEOUT_MS }, () => {
  const all = new Map<string, string>()

  it('moves with everything that was acknowledged, and nothing stays', async () => {
    await harness.post(
      '/v1/check/phone/report',
      { phone: '+12025550143', outcome: 'fraud', confidence: 90 },
      { key: tenant.keys.live_secret },
    )
    await harness.services.billing.grantCredits(tenant.org_id, 5, 'test', 'a')
    await harness.services.billing.postUsage(harness.core.clock.now())
    const stop = startChecks('first')
    await expect.poll(async () => await countIn(main, 'checks'), POLL).toBeGreaterThan(5)
    const moved = await move('main', 'east')
    const before = (await countIn(east, 'checks')) ?? 0
    await expect.poll(async () => await countIn(east, 'checks'), POLL).toBeGreaterThan(before + 5)
    for (const entry of await stop()) all.set(...entry)
    expect(moved.paused_ms).toBeGreaterThan(0)
    await expectStored(east, all)
    const left = await tablesWithRows(main)
    expect(left.filter((table) => CELL_ONLY.includes(table))).toEqual(['reputation'])
    const [event = '', id] = [...all][0] ?? []
    expect((await check(event)).id).toBe(id)
  })

  it('moves back, also after a process was killed at any step', async () => {
    await harness.services.volumes.fold(harness.core.clock.now())
    const steps: string[] = []
    const stop = startChecks('back')
    for (let survived = 0; ; survived += 1) {
      let step = 0
      const result = await move('east', 'main', (text) => {
        steps.push(text)
        if (step === survived) throw new Error('killed')
        step += 1
      }).catch((error: unknown) => error)
      if (!(result instanceof Error)) break
      expect(result.message).toBe('killed')
    }
    for (const entry of await stop()) all.set(...entry)
    await expectStored(main, all)
    expect(await countIn(east, 'checks')).toBe(0)
    expect(new Set(steps)).toContain('Pausing writes')
  })

  it('has the same usage over time where it is', async () => {
    const to = new Date(Date.now() + 3_600_000)
    const from = new Date(to.getTime() - 6 * 3_600_000)
    const query = { from, to, step: 'hour' as const }
    const here = async (name: string) => {
      const services = name === 'main' ? harness.parts : harness.parts.cells[0]?.parts
      const volume = await services?.accounts.volumes.read(tenant.org_id, 'live', query)
      return volume?.meters.map(({ meter, quantity }) => [
        meter,
        quantity.reduce((sum, each) => sum + each, 0),
      ])
    }
    const before = await here('main')
    await sql`update usage_fold set folded_until = now() + interval '1 day'`.execute(east)
    await move('main', 'east')
    expect(await here('east')).toEqual(before)
    await sql`update usage_fold set folded_until = now() - interval '1 day'`.execute(main)
    await move('east', 'main')
    expect(await here('main')).toEqual(before)
  })
})

describe('two processes that move an organization', { timeout: TIMEOUT_MS }, () => {
  it('move it once: the second one finds it moved', async () => {
    const options = await optionsOf('main', 'east', () => {})
    const [first, second] = await Promise.all([
      moveOrganization(options),
      moveOrganization(options),
    ])
    const paused = [first, second].filter(({ paused_ms }) => paused_ms !== undefined)
    expect(paused).toHaveLength(1)
    expect(await countIn(east, 'checks')).toBeGreaterThan(0)
    expect(await countIn(main, 'checks')).toBe(0)
    await move('east', 'main')
  })
})

describe('writes of an organization that moves', { timeout: TIMEOUT_MS }, () => {
  it('wait while requests are paused, and reads do not', async () => {
    await sql`update organizations set paused_until = now() + interval '1 minute'
      where id = ${tenant.org_id}`.execute(main)
    const before = await countIn(main, 'checks')
    const waiting = check('waits')
    const { rows } = await sql<{ id: string }>`select id from checks limit 1`.execute(main)
    const read = await harness.get(`/v1/check/${rows[0]?.id}`, { key: tenant.keys.live_secret })
    expect(read.status).toBe(200)
    expect(await countIn(main, 'checks')).toBe(before)
    await sql`update organizations set paused_until = null where id = ${tenant.org_id}`.execute(
      main,
    )
    expect((await waiting).status).toBe(200)
  })

  it('are answered 500 with the time to retry when the move takes longer', async () => {
    await sql`update organizations set paused_until = now() + interval '1 minute'
      where id = ${tenant.org_id}`.execute(main)
    const refused = await check('refused')
    expect([refused.status, refused.headers['retry-after'] !== undefined]).toEqual([500, true])
    await sql`update organizations set paused_until = null where id = ${tenant.org_id}`.execute(
      main,
    )
  })

  it('are refused in the old cell, also by those who looked it up before', async () => {
    const write = async () =>
      await sql`insert into velocity (org_id, key_hash, count_5m, count_1h, count_1d, count_7d, last_at)
        values (${tenant.org_id}, ${randomUUID()}, 1, 1, 1, 1, now())`
        .execute(main)
        .catch((error: unknown) => error)
    let late: Promise<unknown> | undefined
    const options = await optionsOf('main', 'east', (step) => {
      if (step.startsWith('Switched')) late = write()
    })
    await moveOrganization({ ...options, settle_seconds: 5 })
    expect(await late).toMatchObject({ code: '25006' })
    expect(await countIn(main, 'velocity')).toBe(0)
    await move('east', 'main')
  })

  it('are accepted again after a pause that was too short, and after giving up', async () => {
    const options = await optionsOf('main', 'east', () => {})
    await expect(moveOrganization({ ...options, pause_seconds: 0 })).rejects.toThrow(
      'The organization stays in main',
    )
    expect((await check('after-short-pause')).status).toBe(200)
    await cancelMove(options)
    expect(await findMoveUnderWay(main)).toBeUndefined()
    expect((await check('after-cancel')).status).toBe(200)
    const { rows } = await sql`select tgname from pg_trigger where tgname like 'moving%'`.execute(
      main,
    )
    expect(rows).toEqual([])
  })
})
