import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testClickHouse, testDatabase } from '../../../../test/database.ts'
import { createMinuteCounts } from './minute-counts.store.ts'
import type { Condition } from './schema.ts'
import { minuteOf } from './state.ts'

const clickhouse = testClickHouse()

const countPerMinute = createMinuteCounts(clickhouse, testDatabase())
const TEN = new Date('2026-03-01T10:00:00.000Z')
const at = (minutes: number) => new Date(TEN.getTime() + minutes * 60_000)
const { signal } = new AbortController()

type LogFields = {
  happened: Date
  received?: Date
  level?: string
  category?: string
  environment?: string
  device_id?: string
  error_fingerprint?: string
  message?: string
  mode?: 'live' | 'test'
}

async function insertLogs(orgId: string, logs: readonly LogFields[]): Promise<void> {
  const lines = logs.map(({ happened, received = happened, ...fields }) =>
    Buffer.from(
      `${JSON.stringify({
        org_id: orgId,
        mode: 'live',
        id: randomUUID(),
        received_at: received.toISOString().replace('T', ' ').replace('Z', ''),
        timestamp_ms: happened.getTime(),
        device_id: 'pos-1',
        level: 'error',
        message: 'Card reader timeout',
        ...fields,
      })}\n`,
    ),
  )
  await clickhouse.insert('edge_logs', lines, randomUUID(), signal)
}

/** Returns the counts by the minute after ten. */
async function counted(orgId: string, condition: Condition = {}, from = at(-10), until = at(10)) {
  const counts = await countPerMinute({ org_id: orgId, condition }, { from, until }, 10_000)
  return Object.fromEntries([...counts].map(([minute, logs]) => [minute - minuteOf(TEN), logs]))
}

describe('logs per minute', () => {
  it('are counted by event time, regardless of the time of receipt', async () => {
    const org_id = randomUUID()
    await insertLogs(org_id, [
      { happened: at(0) },
      { happened: new Date(at(1).getTime() - 1) },
      { happened: at(1), received: at(300) },
      { happened: at(5), received: at(2) },
      { happened: at(-3), received: at(60 * 24 * 3) },
    ])
    expect(await counted(org_id)).toEqual({ [-3]: 1, 0: 2, 1: 1, 5: 1 })
  })

  it('are counted across hours and days', async () => {
    const org_id = randomUUID()
    const midnight = at(14 * 60)
    const around = [-61, -1, 0, 61].map((minute) => new Date(midnight.getTime() + minute * 60_000))
    await insertLogs(
      org_id,
      around.map((happened) => ({ happened })),
    )
    const counts = await counted(org_id, {}, at(12 * 60), at(16 * 60))
    expect(counts).toEqual({ 779: 1, 839: 1, 840: 1, 901: 1 })
  })

  it('are those of the requested period without its end', async () => {
    const org_id = randomUUID()
    await insertLogs(
      org_id,
      [at(-1), at(0), at(4), at(5)].map((happened) => ({ happened })),
    )
    expect(await counted(org_id, {}, at(0), at(5))).toEqual({ 0: 1, 4: 1 })
  })

  it('leave out logs whose timestamp was too far ahead when they were received', async () => {
    const org_id = randomUUID()
    const happened = at(0)
    await insertLogs(org_id, [
      { happened, received: at(-5) },
      { happened, received: new Date(at(-5).getTime() - 1) },
      { happened, received: at(-60 * 24 * 40) },
    ])
    expect(await counted(org_id)).toEqual({ 0: 1 })
  })

  it('are only the live logs of the organization', async () => {
    const org_id = randomUUID()
    await insertLogs(org_id, [{ happened: at(0), mode: 'test' }])
    await insertLogs(randomUUID(), [{ happened: at(0) }])
    expect(await counted(org_id)).toEqual({})
  })

  it.each<[Condition, Record<string, number>]>([
    [{}, { 0: 1, 1: 1, 2: 1, 3: 1 }],
    [{ level: 'fatal' }, { 1: 1 }],
    [{ level: 'fatal,error' }, { 0: 1, 1: 1, 3: 1 }],
    [{ category: 'payment' }, { 0: 1 }],
    [{ environment: 'production' }, { 1: 1 }],
    [{ device_id: 'pos-2' }, { 2: 1 }],
    [{ error_fingerprint: 'f00' }, { 3: 1 }],
    [{ q: 'paper' }, { 2: 1 }],
    [{ q: 'TIMEOUT reader' }, { 0: 1, 1: 1, 3: 1 }],
    [{ q: '"reader card"' }, {}],
    [{ q: 'device:pos-* -pap*' }, { 0: 1, 1: 1, 3: 1 }],
    [{ q: 'level:fatal OR category:payment' }, { 0: 1, 1: 1 }],
    [{ level: 'error', q: '"card reader"', category: 'payment' }, { 0: 1 }],
    [{ level: 'error', category: "x' or 1 = 1 --" }, {}],
  ])('are those that match %j', async (condition, expected) => {
    const org_id = randomUUID()
    await insertLogs(org_id, [
      { happened: at(0), category: 'payment' },
      { happened: at(1), level: 'fatal', environment: 'production' },
      { happened: at(2), level: 'info', device_id: 'pos-2', message: 'Out of paper' },
      { happened: at(3), error_fingerprint: 'f00' },
    ])
    expect(await counted(org_id, condition)).toEqual(expected)
  })

  it('of new error groups are those without an error in the thirty days before', async () => {
    const org_id = randomUUID()
    const error = (fingerprint: string, happened: Date, given = {}) => ({
      happened,
      level: 'error',
      error_fingerprint: fingerprint,
      ...given,
    })
    await insertLogs(org_id, [
      error('new', at(1)),
      error('new', at(2)),
      error('other', at(3), { category: 'scanner' }),
      error('known', at(4)),
      error('known', at(-60 * 24 * 9)),
      error('elsewhere', at(4)),
      error('elsewhere', at(-60), { category: 'scanner' }),
      error('back', at(5)),
      error('back', at(-60 * 24 * 32)),
      { happened: at(6), level: 'error' },
    ])
    const groups = async (condition: Condition) => {
      const rule = { org_id, kind: 'new_group', condition } as const
      const counts = await countPerMinute(rule, { from: at(-10), until: at(10) }, 10_000)
      return Object.fromEntries([...counts].map(([minute, n]) => [minute - minuteOf(TEN), n]))
    }
    expect(await groups({})).toEqual({ 1: 1, 3: 1, 5: 1 })
    expect(await groups({ category: 'scanner' })).toEqual({ 3: 1 })
  })
})
