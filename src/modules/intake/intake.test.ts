import { randomBytes, randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { createIds } from '../../platform/ids.ts'
import { createLog } from '../../platform/log.ts'
import { rowFor } from '../../platform/postgres/rows.ts'
import { decodePayload } from '../../platform/spool/payload.ts'
import { findMonth } from '../billing/index.ts'
import type { IntakeBatch } from './batch.ts'
import { bodyHash } from './body-hash.ts'
import { createIntake, type Intake } from './intake.ts'

// A separate database: usage of organizations that do not exist cannot be posted.
const db = ownDatabase()
const NOON = new Date('2026-03-01T12:00:00.000Z')
const minutesLater = (minutes: number) => new Date(NOON.getTime() + minutes * 60_000)

/** 10 units up to 10,000 of a month, 8 up to 100,000, 5 up to 1,000,000, then 3. */
const RATES = [
  [10_000, 10],
  [100_000, 8],
  [1_000_000, 5],
  [Number.POSITIVE_INFINITY, 3],
] as const
function price(before: number, after: number): number {
  let units = 0
  let from = 0
  for (const [up_to, rate] of RATES) {
    units += Math.max(0, Math.min(after, up_to) - Math.max(before, from)) * rate
    from = up_to
  }
  return units
}

const intakeOf = (given: Partial<Parameters<typeof createIntake>[0]> = {}): Intake =>
  createIntake({
    db,
    newId: createIds(),
    log: createLog('silent'),
    spool_max_bytes: Number.MAX_SAFE_INTEGER,
    ...given,
  })

function batchOf(orgId: string, given: Partial<IntakeBatch> = {}): IntakeBatch {
  const processed = given.processed ?? 3
  return {
    org_id: orgId,
    mode: 'live',
    target: 'edge_logs',
    body_hash: bodyHash('edge_logs', randomBytes(8)),
    received: processed,
    processed,
    message: 'Logs received',
    errors: [],
    payload: Buffer.from('{"n":1}\n'.repeat(Math.min(processed, 5))),
    meter: 'edge_log',
    price,
    occurred_at: NOON,
    rows: [],
    ...given,
  }
}

const spooled = async (orgId: string) =>
  await db.selectFrom('analytics_spool').selectAll().where('org_id', '=', orgId).execute()
const used = async (orgId: string) =>
  await db.selectFrom('usage_events').selectAll().where('org_id', '=', orgId).execute()
const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0)

async function books(orgId: string) {
  const { rows } = await sql<{ quantity: number; cost_units: number }>`
    select coalesce(sum(quantity), 0)::bigint as quantity,
      coalesce(sum(cost_units), 0)::bigint as cost_units
    from usage_events where org_id = ${orgId}`.execute(db)
  const entries = sum((await spooled(orgId)).map((row) => row.entries))
  const month = await findMonth(db, orgId, { mode: 'live', meter: 'edge_log', month: NOON })
  return { usage: rows[0], entries, month }
}

describe('a batch', () => {
  it('is stored in one transaction with its price, its month and its other rows', async () => {
    const orgId = randomUUID()
    const writer = {
      name: 'found',
      write: (rows: readonly { device_id: string }[]) => sql`
        insert into edge_devices (org_id, mode, device_id, created_at, last_seen_at)
        select ${orgId}::uuid, 'live', unnest(${rows.map(({ device_id }) => device_id)}::text[]),
          now(), now()`,
    }
    const batch = batchOf(orgId, { rows: [rowFor(writer, { device_id: 'till' })] })
    const receipt = await intakeOf().submit(batch)
    expect(receipt).toEqual({
      received: 3,
      processed: 3,
      message: 'Logs received',
      errors: [],
      is_repeat: false,
    })
    const [row, ...more] = await spooled(orgId)
    expect(more).toEqual([])
    expect(row).toMatchObject({ entries: 3, bytes: batch.payload.length, target: 'edge_logs' })
    expect(row?.payload).toEqual(batch.payload)
    expect(await used(orgId)).toMatchObject([
      { meter: 'edge_log', quantity: 3, cost_units: 30, source_id: row?.id, occurred_at: NOON },
    ])
    expect(
      await db.selectFrom('edge_devices').selectAll().where('org_id', '=', orgId).execute(),
    ).toHaveLength(1)
  })

  it('that fails as a whole writes nothing, and does not fail its neighbors', async () => {
    const [bad, good] = [randomUUID(), randomUUID()]
    const intake = intakeOf()
    const writer = {
      name: 'broken',
      write: () => sql`insert into usage_months (quantity) values (-1)`,
    }
    const results = await Promise.allSettled([
      intake.submit(batchOf(good)),
      intake.submit(batchOf(bad, { rows: [rowFor(writer, {})] })),
      intake.submit(batchOf(good)),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((await books(bad)).usage).toEqual({ quantity: 0, cost_units: 0 })
    expect((await books(bad)).month).toEqual({ quantity: 0, cost_units: 0 })
    expect((await books(good)).entries).toBe(6)
  })

  it('of a test key is counted and costs nothing', async () => {
    const orgId = randomUUID()
    await intakeOf().submit(batchOf(orgId, { mode: 'test', processed: 20_000 }))
    expect(await used(orgId)).toMatchObject([{ mode: 'test', quantity: 20_000, cost_units: 0 }])
    const month = (mode: 'live' | 'test') =>
      findMonth(db, orgId, { mode, meter: 'edge_log', month: NOON })
    expect(await month('test')).toEqual({ quantity: 20_000, cost_units: 0 })
    expect(await month('live')).toEqual({ quantity: 0, cost_units: 0 })
  })

  it('counts in the month of its receipt, by UTC', async () => {
    const orgId = randomUUID()
    const intake = intakeOf()
    const ends = new Date('2026-03-31T23:59:59.999Z')
    const begins = new Date('2026-04-01T00:00:00.000Z')
    await Promise.all([
      intake.submit(batchOf(orgId, { processed: 10_000, occurred_at: ends })),
      intake.submit(batchOf(orgId, { processed: 10_000, occurred_at: begins })),
    ])
    const costs = (await used(orgId)).map(({ cost_units }) => cost_units)
    expect(costs).toEqual([100_000, 100_000])
  })

  it('that is larger than a block of the engine becomes several rows with one price', async () => {
    const orgId = randomUUID()
    const payload = Buffer.from([1, 9, 8].map((mb) => `${'x'.repeat(mb << 20)}\n`).join(''))
    await intakeOf().submit(batchOf(orgId, { processed: 3, payload }))
    const rows = await spooled(orgId)
    const sizes = rows.map(({ bytes, entries }) => `${bytes >> 20} MB, ${entries}`)
    expect(new Set(sizes)).toEqual(new Set(['10 MB, 2', '8 MB, 1']))
    expect(sum(rows.map(({ bytes }) => bytes))).toBe(payload.length)
    const texts = await Promise.all(rows.map(async (row) => await decodePayload(row)))
    expect(texts.every(({ rows: text }) => text.at(-1) === 10)).toBe(true)
    expect(sum(rows.map((row) => row.payload.length))).toBeLessThan(payload.length / 100)
    const [usage, ...more] = await used(orgId)
    expect(more).toEqual([])
    expect(usage).toMatchObject({ quantity: 3, cost_units: 30 })
    expect(rows.map(({ id }) => id)).toContain(usage?.source_id)
  })

  it('shares a row of the spool only within its organization, mode and target', async () => {
    const [one, other] = [randomUUID(), randomUUID()]
    const intake = intakeOf()
    await Promise.all([
      intake.submit(batchOf(one, { payload: Buffer.from('{"a":1}\n') })),
      intake.submit(batchOf(other)),
      intake.submit(batchOf(one, { payload: Buffer.from('{"a":2}\n') })),
      intake.submit(batchOf(one, { mode: 'test' })),
      intake.submit(batchOf(one, { target: 'rum_events', meter: 'rum_event' })),
    ])
    expect(await spooled(other)).toHaveLength(1)
    const rows = await spooled(one)
    expect(
      rows.map(({ mode, target, entries }) => `${mode} ${target} ${entries}`).toSorted(),
    ).toEqual(['live edge_logs 6', 'live rum_events 3', 'test edge_logs 3'])
    const joined = rows.find(({ mode, target }) => mode === 'live' && target === 'edge_logs')
    expect(joined?.payload.toString()).toBe('{"a":1}\n{"a":2}\n')
  })
})

describe('a body that is received again', () => {
  it('within 15 minutes gets the same response and is neither stored nor charged', async () => {
    const orgId = randomUUID()
    const intake = intakeOf()
    const message = 'Logs received; 1 of 4 refused, the first: logs.0.level is required'
    const errors = [{ index: 0, field: 'level', reason: 'is required' }]
    const batch = batchOf(orgId, { received: 4, processed: 3, message, errors })
    await intake.submit(batch)
    const before = await books(orgId)
    // Settings may have changed in the meantime: the stored response counts.
    const again = {
      ...batch,
      processed: 2,
      message: 'x',
      errors: [],
      occurred_at: minutesLater(14.99),
    }
    expect(await intake.submit(again)).toEqual({
      received: 4,
      processed: 3,
      message,
      errors,
      is_repeat: true,
    })
    expect(await books(orgId)).toEqual(before)
  })

  it('after 15 minutes is a new one', async () => {
    const orgId = randomUUID()
    const intake = intakeOf()
    const batch = batchOf(orgId)
    await intake.submit(batch)
    const later = { ...batch, occurred_at: minutesLater(15) }
    expect(await intake.submit(later)).toMatchObject({ is_repeat: false })
    expect((await books(orgId)).usage).toEqual({ quantity: 6, cost_units: 60 })
    const soonAfter = { ...batch, occurred_at: minutesLater(29) }
    expect(await intake.submit(soonAfter)).toMatchObject({ is_repeat: true })
  })

  it('is a new one for another organization, mode or target', async () => {
    const intake = intakeOf()
    const bytes = randomBytes(20)
    const orgId = randomUUID()
    const same = { body_hash: bodyHash('edge_logs', bytes) }
    const receipts = await Promise.all([
      intake.submit(batchOf(orgId, same)),
      intake.submit(batchOf(orgId, { ...same, mode: 'test' })),
      intake.submit(batchOf(randomUUID(), same)),
      intake.submit(batchOf(orgId, { body_hash: bodyHash('rum_events', bytes) })),
    ])
    expect(receipts.map(({ is_repeat }) => is_repeat)).toEqual([false, false, false, false])
  })

  it('at the same time is stored once, within a process and across two', async () => {
    const orgId = randomUUID()
    const intakes = [intakeOf(), intakeOf()]
    const bodies = Array.from({ length: 12 }, () => batchOf(orgId))
    const receipts = await Promise.all(
      bodies.flatMap((batch) =>
        Array.from({ length: 5 }, async (_, index) => await intakes[index % 2]?.submit(batch)),
      ),
    )
    expect(receipts.filter((receipt) => receipt?.is_repeat === false)).toHaveLength(12)
    expect(receipts.every((receipt) => receipt?.processed === 3)).toBe(true)
    expect(await books(orgId)).toEqual({
      usage: { quantity: 36, cost_units: 360 },
      entries: 36,
      month: { quantity: 36, cost_units: 360 },
    })
  })
})

describe('the price', () => {
  it('is exact at every tier boundary under concurrent intake', async () => {
    const orgId = randomUUID()
    const intakes = [intakeOf(), intakeOf()]
    let seed = 7
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647
    // The sum exceeds a million, so all three boundaries are crossed.
    const sizes = Array.from({ length: 400 }, () => 1 + Math.floor(random() * 6000))
    const small = Array.from({ length: 200 }, () => 1 + Math.floor(random() * 20))
    await Promise.all(
      [...sizes, ...small]
        .toSorted(() => random() - 0.5)
        .map(async (processed, index) => {
          await intakes[index % 2]?.submit(batchOf(orgId, { processed }))
        }),
    )
    const total = sum(sizes) + sum(small)
    expect(total).toBeGreaterThan(1_000_000)
    const expected = { quantity: total, cost_units: price(0, total) }
    expect(await books(orgId)).toEqual({ usage: expected, entries: total, month: expected })
  })
})

describe('a full spool', () => {
  it('is reported with the seconds to wait, and nothing that was accepted is dropped', async () => {
    const orgId = randomUUID()
    const full = intakeOf({ spool_max_bytes: 0 })
    expect(full.fullFor(orgId)).toBeUndefined()
    await full.submit(batchOf(orgId))
    expect(full.fullFor(orgId)).toBeGreaterThan(0)
    expect(await spooled(orgId)).toHaveLength(1)
    const roomy = intakeOf()
    await roomy.submit(batchOf(orgId))
    expect(roomy.fullFor(orgId)).toBeUndefined()
  })

  it('refuses the organization that fills it, and accepts the others', async () => {
    const [full, other] = [randomUUID(), randomUUID()]
    const stored = await db.selectFrom('analytics_spool').select('bytes').execute()
    const free = 1_000_000
    const spool_max_bytes = sum(stored.map(({ bytes }) => bytes)) + free
    const intake = intakeOf({ spool_max_bytes })
    const payload = Buffer.from(`${'x'.repeat(0.6 * free)}\n`)
    await intake.submit(batchOf(full, { processed: 1, payload }))
    await vi.waitFor(() => expect(intake.fullFor(full)).toBeGreaterThan(0), 10_000)
    expect(intake.fullFor(other)).toBeUndefined()
  })
})
