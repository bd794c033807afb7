import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import { type SeenDevice, seenDeviceWriter } from './seen-devices.store.ts'
import { createSeenDevices } from './seen-devices.ts'

const db = testDatabase()
const NOON = new Date('2026-03-01T12:00:00.000Z')
const later = (seconds: number) => new Date(NOON.getTime() + seconds * 1000)
const owner = () => ({ org_id: randomUUID(), mode: 'live' as const })
const ids = (devices: readonly SeenDevice[]) => devices.map(({ device_id }) => device_id)

describe('seen devices', () => {
  it('are due once in thirty seconds after they were committed', () => {
    const seen = createSeenDevices()
    const shop = owner()
    const first = seen.due(shop, ['a', 'b'], NOON)
    expect(ids(first)).toEqual(['a', 'b'])
    expect(ids(seen.due(shop, ['a'], later(1)))).toEqual(['a'])
    seen.markWritten(first)
    expect(ids(seen.due(shop, ['a', 'b', 'c'], later(29.9)))).toEqual(['c'])
    expect(ids(seen.due(shop, ['a', 'b'], later(30)))).toEqual(['a', 'b'])
  })

  it('are separated by organization and mode', () => {
    const seen = createSeenDevices()
    const shop = owner()
    seen.markWritten(seen.due(shop, ['a'], NOON))
    expect(ids(seen.due({ ...shop, mode: 'test' }, ['a'], NOON))).toEqual(['a'])
    expect(ids(seen.due(owner(), ['a'], NOON))).toEqual(['a'])
  })

  it('drop out of the cache, oldest first, when there are too many', () => {
    const seen = createSeenDevices(10)
    const shop = owner()
    const names = Array.from({ length: 12 }, (_, index) => `device-${index}`)
    for (const name of names) seen.markWritten(seen.due(shop, [name], NOON))
    const due = ids(seen.due(shop, names, NOON))
    expect(due).toContain('device-0')
    expect(due).not.toContain('device-11')
  })
})

describe('the rows of devices', () => {
  const write = async (devices: readonly SeenDevice[]) =>
    await seenDeviceWriter.write(devices).execute(db)
  const read = async (orgId: string) =>
    await db
      .selectFrom('edge_devices')
      .selectAll()
      .where('org_id', '=', orgId)
      .orderBy('device_id')
      .execute()

  it('are created when an unknown device sends logs', async () => {
    const shop = owner()
    await write([
      { ...shop, device_id: 'till 🧾', seen_at: NOON },
      { ...shop, device_id: 'till 🧾', seen_at: later(5) },
      { ...shop, mode: 'test', device_id: 'till 🧾', seen_at: NOON },
    ])
    const rows = await read(shop.org_id)
    const sights = Object.fromEntries(rows.map(({ mode, last_seen_at }) => [mode, last_seen_at]))
    expect(sights).toEqual({ live: later(5), test: NOON })
    expect(rows[0]).toMatchObject({ device_id: 'till 🧾', device_type: null, name: null })
  })

  it('move last_seen_at forward and never back and keep the other columns', async () => {
    const shop = owner()
    await write([{ ...shop, device_id: 'a', seen_at: later(60) }])
    await write([{ ...shop, device_id: 'a', seen_at: NOON }])
    expect(await read(shop.org_id)).toMatchObject([{ last_seen_at: later(60) }])
    await write([{ ...shop, device_id: 'a', seen_at: later(90) }])
    expect(await read(shop.org_id)).toMatchObject([
      { last_seen_at: later(90), created_at: later(60) },
    ])
  })

  it('never deadlock when they are written concurrently', async () => {
    const shop = owner()
    const names = Array.from({ length: 300 }, (_, index) => `device-${index}`)
    const batch = (order: readonly string[], second: number) =>
      order.map((device_id) => ({ ...shop, device_id, seen_at: later(second) }))
    await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        await write(batch(index % 2 === 0 ? names : names.toReversed(), index))
      }),
    )
    expect(await read(shop.org_id)).toHaveLength(300)
  })
})
