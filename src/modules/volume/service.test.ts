/** Runs on a separate database, because a fold takes the usage of all organizations. */

import * as fc from 'fast-check'
import { sql } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../test/database.ts'
import { createIds } from '../../platform/ids.ts'
import type { Mode } from '../../platform/owner.ts'
import { HOUR_MS, MINUTE_MS } from '../../platform/time-units.ts'
import { recordUsage } from '../billing/index.ts'
import { insertReviews } from '../reviews/index.ts'
import { createVolume, type VolumeStep } from './index.ts'

const db = ownDatabase()
const newId = createIds()
const NOW = new Date('2026-03-10T12:34:00Z')
const clock = { now: () => NOW }
const volume = createVolume({ db, clock })

beforeEach(async () => {
  await sql`truncate usage_events, usage_slots, usage_fold, reviews`.execute(db)
})

async function newOrganization(): Promise<string> {
  const id = newId(NOW)
  await db.insertInto('organizations').values({ id, name: 'Volume', plan: 'free' }).execute()
  return id
}

const ago = (ms: number) => new Date(NOW.getTime() - ms)

type Used = { at: Date; meter?: string; quantity?: number; units?: number; mode?: Mode }

async function use(org_id: string, given: readonly Used[]): Promise<void> {
  const rows = given.map(
    ({ at, meter = 'check', quantity = 1, units = 10_000, mode = 'live' }) => ({
      org_id,
      id: newId(at),
      mode,
      meter,
      quantity,
      cost_units: units,
      source_id: newId(at),
      occurred_at: at,
    }),
  )
  for (const row of rows) await recordUsage(db, [row])
}

async function flag(org_id: string, at: Date, subject: 'order' | 'alert' = 'order') {
  await insertReviews([
    {
      org_id,
      id: newId(at),
      mode: 'live',
      subject,
      subject_id: newId(at),
      external_id: 'x',
      risk_score: 60,
      flags: [],
      reason: 'x',
      created_at: at,
    },
  ]).execute(db)
}

const read = async (org: string, hours = 48, step: VolumeStep = 'day', mode: Mode = 'live') =>
  await volume.read(org, mode, { from: ago(hours * HOUR_MS), to: NOW, step })

const totals = async (org: string, mode: Mode = 'live') => {
  const { meters } = await read(org, 900 * 24, 'day', mode)
  return Object.fromEntries(meters.map((meter) => [meter.meter, meter.total_quantity]))
}

/** Writes usage in a transaction that stays open until the returned function is called. */
async function useLate(org_id: string, at: Date): Promise<() => Promise<void>> {
  let commit: () => void = () => undefined
  const waiting = new Promise<void>((resolve) => {
    commit = resolve
  })
  let written: () => void = () => undefined
  const isWritten = new Promise<void>((resolve) => {
    written = resolve
  })
  const ended = db.transaction().execute(async (tx) => {
    const row = { org_id, id: newId(at), mode: 'live' as const, meter: 'check', quantity: 1 }
    const rest = { cost_units: 1, source_id: newId(at), occurred_at: at }
    await recordUsage(tx, [{ ...row, ...rest }])
    written()
    await waiting
  })
  await isWritten
  return async () => {
    commit()
    await ended
  }
}

describe('usage over time', () => {
  it('is returned per step and meter, with its credits, folded or not', async () => {
    const org = await newOrganization()
    await use(org, [
      { at: ago(47 * HOUR_MS), quantity: 3, units: 5000 },
      { at: ago(2 * HOUR_MS), quantity: 2, units: 20_000 },
      { at: ago(MINUTE_MS), meter: 'edge_log', quantity: 500, units: 7 },
      { at: ago(MINUTE_MS), mode: 'test', units: 0 },
      { at: ago(50 * HOUR_MS) },
    ])
    await flag(org, ago(47 * HOUR_MS))
    await flag(org, ago(MINUTE_MS))
    await flag(org, ago(MINUTE_MS), 'alert')
    const expected = {
      step: 'day',
      starts: ['2026-03-08T12:00:00.000Z', '2026-03-09T12:00:00.000Z', '2026-03-10T12:00:00.000Z'],
      meters: [
        {
          meter: 'check',
          quantity: [3, 2, 0],
          credits: [0.5, 2, 0],
          total_quantity: 5,
          total_credits: 2.5,
        },
        {
          meter: 'edge_log',
          quantity: [0, 0, 500],
          credits: [0, 0, 0.0007],
          total_quantity: 500,
          total_credits: 0.0007,
        },
      ],
      flagged_orders: [1, 0, 1],
      complete_until: NOW.toISOString(),
    }
    expect(await read(org)).toEqual(expected)
    await volume.fold(NOW)
    expect(await read(org)).toEqual(expected)
    expect(await totals(org, 'test')).toEqual({ check: 1 })
  })

  it('is returned by the hour', async () => {
    const org = await newOrganization()
    await use(org, [{ at: ago(35 * MINUTE_MS) }, { at: ago(10 * MINUTE_MS) }])
    const { starts, meters } = await read(org, 2, 'hour')
    expect(starts.map((start) => start.slice(11, 16))).toEqual(['10:00', '11:00', '12:00'])
    expect(meters.map(({ quantity }) => quantity)).toEqual([[0, 1, 1]])
  })

  it('is empty for an organization without usage', async () => {
    const org = await newOrganization()
    expect(await read(org)).toMatchObject({ meters: [], flagged_orders: [0, 0, 0] })
  })

  it('has a maximum number of steps', async () => {
    await expect(read('x', 2000, 'hour')).rejects.toThrow(RangeError)
    await expect(
      volume.read('x', 'live', { from: NOW, to: ago(HOUR_MS), step: 'hour' }),
    ).rejects.toThrow(RangeError)
  })
})

describe('a fold', () => {
  it('counts closed windows only, and never one twice', async () => {
    const org = await newOrganization()
    await use(org, [{ at: ago(30 * MINUTE_MS) }, { at: ago(5 * MINUTE_MS) }, { at: ago(1) }])
    for (let run = 0; run < 3; run += 1) await volume.fold(NOW)
    const slots = await db.selectFrom('usage_slots').select('quantity').execute()
    expect(slots.map(({ quantity }) => quantity)).toEqual([2])
    const { folded_until } = await db
      .selectFrom('usage_fold')
      .select('folded_until')
      .executeTakeFirstOrThrow()
    expect(folded_until.toISOString()).toBe('2026-03-10T12:30:00.000Z')
    expect(await totals(org)).toEqual({ check: 3 })
  })

  it('works through older history in portions, and can be interrupted between them', async () => {
    const [org, other] = [await newOrganization(), await newOrganization()]
    const at = [700, 699.9, 300, 299, 24, 1].map((days) => ({ at: ago(days * 24 * HOUR_MS) }))
    await use(org, at)
    await use(other, at.slice(2))
    const stopping = new AbortController()
    stopping.abort()
    await volume.fold(NOW, stopping.signal)
    expect(await db.selectFrom('usage_slots').selectAll().execute()).toEqual([])
    await volume.fold(NOW)
    expect([await totals(org), await totals(other)]).toEqual([{ check: 6 }, { check: 4 }])
    const slots = await db.selectFrom('usage_slots').selectAll().execute()
    expect(slots).toHaveLength(10)
  })

  it('adds to a slot that was counted before', async () => {
    const org = await newOrganization()
    await use(org, [{ at: ago(30 * MINUTE_MS) }])
    await volume.fold(ago(20 * MINUTE_MS))
    await use(org, [{ at: ago(15 * MINUTE_MS) }])
    await volume.fold(NOW)
    const { rows } = await sql<{ sum: number }>`
      select sum(quantity)::bigint as sum from usage_slots where org_id = ${org}`.execute(db)
    expect(rows).toEqual([{ sum: 2 }])
  })

  it('counts each row once while several nodes fold and others read', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 * 60 }), { minLength: 1, maxLength: 40 }),
        async (minutes) => {
          const org = await newOrganization()
          const seen: (number | undefined)[] = []
          const used = minutes.map((minute) => ({ at: ago((minute + 1) * MINUTE_MS) }))
          await use(org, used)
          const nodes = [volume, createVolume({ db, clock }), createVolume({ db, clock })]
          await Promise.all([
            ...nodes.map(async (node) => await node.fold(NOW)),
            ...nodes.map(async () => seen.push((await totals(org))['check'])),
          ])
          expect(new Set(seen)).toEqual(new Set([minutes.length]))
          expect(await totals(org)).toEqual({ check: minutes.length })
          await sql`truncate usage_slots, usage_fold, usage_events`.execute(db)
        },
      ),
      { numRuns: 15 },
    )
  })

  it('is not needed to bound a reading, which then returns how far it is complete', async () => {
    const org = await newOrganization()
    const small = createVolume({ db, clock, tail_max: 3 })
    await use(
      org,
      [50, 40, 30, 20, 10].map((minutes) => ({ at: ago(minutes * MINUTE_MS) })),
    )
    const { meters, complete_until } = await small.read(org, 'live', {
      from: ago(2 * HOUR_MS),
      to: NOW,
      step: 'hour',
    })
    expect(meters.map(({ total_quantity }) => total_quantity)).toEqual([3])
    expect(complete_until).toBe(ago(30 * MINUTE_MS).toISOString())
  })
})

it('a fold does not pass the rows of a transaction that is still open', async () => {
  const org = await newOrganization()
  const present = new Date()
  const commit = await useLate(org, present)
  const later = new Date(present.getTime() + HOUR_MS)
  await volume.fold(later)
  await commit()
  const readAt = async () => {
    const query = {
      from: new Date(present.getTime() - HOUR_MS),
      to: new Date(later.getTime() + HOUR_MS),
      step: 'day' as const,
    }
    return (await volume.read(org, 'live', query)).meters[0]?.total_quantity
  }
  expect(await readAt()).toBe(1)
  await volume.fold(later)
  const { rows } = await sql<{ quantity: number }>`select quantity from usage_slots`.execute(db)
  expect(rows).toEqual([{ quantity: 1 }])
  expect(await readAt()).toBe(1)
})
