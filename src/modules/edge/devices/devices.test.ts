import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { testDatabase } from '../../../../test/database.ts'
import type { Mode } from '../../../platform/owner.ts'
import { seenDeviceWriter } from './seen-devices.store.ts'
import { createDevices } from './service.ts'

const db = testDatabase()
const NOON = new Date('2026-03-01T12:00:00.000Z')
const later = (seconds: number) => new Date(NOON.getTime() + seconds * 1000)

const newOwner = (mode: Mode = 'live') => ({ org_id: randomUUID(), mode })
const ALL = { page: 1, limit: 50 }

/** Creates the service with a clock that tests can set. */
function devicesAt(start = NOON) {
  let now = start
  const devices = createDevices({
    db,
    clock: { now: () => now },
    edge_device_active_minutes: 15,
  })
  return {
    ...devices,
    setTime: (time: Date) => {
      now = time
    },
  }
}

describe('registering a device', () => {
  it('stores all fields and counts as a sighting', async () => {
    const devices = devicesAt()
    const registration = {
      device_id: 'pos-1',
      device_type: 'pos',
      name: 'Till 1',
      firmware_version: '4.2.1',
      location: { name: 'Station Street', address: 'Station Street 12' },
      tags: ['front', 'front'],
    } as const
    const record = { ...registration, last_seen_at: NOON.toISOString(), status: 'active' }
    const owner = newOwner()
    const request = { ...registration, tags: [...registration.tags] }
    expect(await devices.register(owner, request)).toEqual(record)
    expect((await devices.list(owner.org_id, 'live', ALL)).devices).toEqual([record])
  })

  it('needs nothing but the id', async () => {
    expect(await devicesAt().register(newOwner(), { device_id: 'x' })).toEqual({
      device_id: 'x',
      device_type: null,
      name: null,
      firmware_version: null,
      location: null,
      tags: [],
      last_seen_at: NOON.toISOString(),
      status: 'active',
    })
  })

  it('again updates the fields and the parts of the location that are sent, and keeps the others', async () => {
    const devices = devicesAt()
    const owner = newOwner()
    const device_id = 'pos-1'
    await devices.register(owner, {
      device_id,
      name: 'Till 1',
      tags: ['a'],
      location: { name: 'North', address: 'North Road 1' },
    })
    await devices.register(owner, { device_id, firmware_version: '2', location: { name: 'South' } })
    expect(await devices.register(owner, { device_id, tags: [], name: '' })).toMatchObject({
      name: '',
      firmware_version: '2',
      tags: [],
      location: { name: 'South', address: 'North Road 1' },
    })
    expect((await devices.list(owner.org_id, 'live', ALL)).pagination.total).toBe(1)
  })

  it('with null in a member leaves it as it was, and with an empty text empties it', async () => {
    const devices = devicesAt()
    const owner = newOwner()
    const device_id = 'pos-1'
    const location = { name: 'North', address: 'North Road 1' }
    await devices.register(owner, { device_id, device_type: 'pos', name: 'Till 1', location })
    const nulls = { device_type: null, name: null, firmware_version: null, tags: null }
    await devices.register(owner, { device_id, ...nulls, location: null })
    expect(
      await devices.register(owner, { device_id, name: '', location: { name: null, address: '' } }),
    ).toMatchObject({ device_type: 'pos', name: '', location: { name: 'North', address: '' } })
  })

  it('stores no members of a location that the contract does not list', async () => {
    const owner = newOwner()
    const location = { name: 'North', planet: 'Earth' } as { name: string }
    await devicesAt().register(owner, { device_id: 'a', location })
    const stored = await db
      .selectFrom('edge_devices')
      .select('location')
      .where('org_id', '=', owner.org_id)
      .executeTakeFirstOrThrow()
    expect(stored.location).toEqual({ name: 'North' })
  })

  it('of the same device many times at once results in one device with all fields', async () => {
    const devices = devicesAt()
    const owner = newOwner()
    const parts = [
      { name: 'n', location: { name: 'N' } },
      { firmware_version: 'v', location: { address: 'A' } },
      { tags: ['t'] },
      {},
    ]
    await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        devices.register(owner, { device_id: 'same', ...parts[index % parts.length] }),
      ),
    )
    const { devices: found, pagination } = await devices.list(owner.org_id, 'live', ALL)
    expect(found).toMatchObject([
      { name: 'n', firmware_version: 'v', tags: ['t'], location: { name: 'N', address: 'A' } },
    ])
    expect(pagination.total).toBe(1)
  })
})

describe('a heartbeat', () => {
  it('moves last_seen_at forward and never back and keeps the other fields', async () => {
    const devices = devicesAt()
    const owner = newOwner()
    await devices.register(owner, { device_id: 'a', name: 'A' })
    devices.setTime(later(60))
    expect(await devices.heartbeat(owner, 'a')).toMatchObject({
      name: 'A',
      last_seen_at: later(60).toISOString(),
    })
    devices.setTime(later(30))
    expect(await devices.heartbeat(owner, 'a')).toMatchObject({
      last_seen_at: later(60).toISOString(),
    })
  })

  it('of an unknown device creates it', async () => {
    const devices = devicesAt()
    const owner = newOwner()
    expect(await devices.heartbeat(owner, 'till 🧾/3')).toMatchObject({ device_id: 'till 🧾/3' })
    expect(await devices.heartbeat(owner, '🧾'.repeat(512))).toBeDefined()
    expect((await devices.list(owner.org_id, 'live', ALL)).pagination.total).toBe(2)
  })

  it.each([
    ['is empty', ''],
    ['is too long', 'x'.repeat(513)],
    ['is too long in characters outside of the BMP', '🧾'.repeat(513)],
    ['contains NUL', 'a\0b'],
  ])('with an id that %s finds and stores nothing', async (_, id) => {
    const devices = devicesAt()
    const owner = newOwner()
    expect(await devices.heartbeat(owner, id)).toBeUndefined()
    expect((await devices.list(owner.org_id, 'live', ALL)).pagination.total).toBe(0)
  })

  it('from many devices at once, on two nodes and together with their logs, never deadlocks', async () => {
    const nodes = [devicesAt(), devicesAt()]
    const owner = newOwner()
    const names = Array.from({ length: 600 }, (_, index) => `device-${index}`)
    const logsOf = async (ids: string[]) => {
      const seen = ids.map((device_id) => ({ ...owner, device_id, seen_at: NOON }))
      await seenDeviceWriter.write(seen).execute(db)
    }
    await Promise.all([
      ...nodes.flatMap((node, index) =>
        (index === 0 ? names : names.toReversed()).map((name) => node.heartbeat(owner, name)),
      ),
      logsOf(names.toReversed()),
      logsOf(names),
    ])
    const { pagination } = await devicesAt().list(owner.org_id, 'live', ALL)
    expect(pagination).toEqual({ page: 1, limit: 50, total: 600, pages: 12 })
  })
})

describe('the list of devices', () => {
  async function fleet(count: number) {
    const devices = devicesAt()
    const owner = newOwner()
    for (let index = 0; index < count; index += 1) {
      devices.setTime(later(index))
      await devices.heartbeat(owner, `device-${index}`)
    }
    return { devices, org_id: owner.org_id }
  }
  const ids = (page: { devices: { device_id: string }[] }) =>
    page.devices.map(({ device_id }) => device_id)

  it('begins with the device last seen and has correct first and last pages', async () => {
    const { devices, org_id } = await fleet(5)
    const page = async (number: number, limit = 2) =>
      await devices.list(org_id, 'live', { page: number, limit })
    expect(ids(await page(1))).toEqual(['device-4', 'device-3'])
    expect(ids(await page(3))).toEqual(['device-0'])
    expect(await page(4)).toEqual({
      devices: [],
      pagination: { page: 4, limit: 2, total: 5, pages: 3 },
    })
    expect((await page(1, 5)).pagination.pages).toBe(1)
    expect(ids(await page(1_000_000_000, 10_000))).toEqual([])
  })

  it('orders devices last seen at the same time by id', async () => {
    const devices = devicesAt()
    const owner = newOwner()
    await Promise.all(['c', 'a', 'b'].map((id) => devices.heartbeat(owner, id)))
    expect(ids(await devices.list(owner.org_id, 'live', ALL))).toEqual(['a', 'b', 'c'])
  })

  it('can be limited by when devices were last seen, both ends included', async () => {
    const { devices, org_id } = await fleet(5)
    const between = async (start?: Date, end?: Date) =>
      await devices.list(org_id, 'live', { ...ALL, start, end })
    expect(ids(await between(later(1), later(3)))).toEqual(['device-3', 'device-2', 'device-1'])
    expect(ids(await between(later(4)))).toEqual(['device-4'])
    expect(ids(await between(undefined, later(0)))).toEqual(['device-0'])
    expect(await between(later(3), later(1))).toMatchObject({
      devices: [],
      pagination: { total: 0, pages: 0 },
    })
  })

  it('shows devices as active that were last seen within the configured time, to the millisecond', async () => {
    const { devices, org_id } = await fleet(1)
    const status = async (time: Date) => {
      devices.setTime(time)
      return (await devices.list(org_id, 'live', ALL)).devices[0]?.status
    }
    expect(await status(later(15 * 60))).toBe('active')
    expect(await status(new Date(later(15 * 60).getTime() + 1))).toBe('inactive')
  })

  it('shows no device of another organization or mode', async () => {
    const devices = devicesAt()
    const [owner, other] = [newOwner(), newOwner()]
    await devices.heartbeat(owner, 'mine')
    await devices.heartbeat({ ...owner, mode: 'test' }, 'of the test key')
    await devices.heartbeat(other, 'theirs')
    expect(ids(await devices.list(owner.org_id, 'live', ALL))).toEqual(['mine'])
    expect(ids(await devices.list(owner.org_id, 'test', ALL))).toEqual(['of the test key'])
  })

  it('counts a large fleet correctly and ends at its last device', async () => {
    const { org_id } = newOwner()
    await sql`
      insert into edge_devices (org_id, mode, device_id, created_at, last_seen_at)
      select ${org_id}::uuid, 'live', 'device-' || n, ${NOON}::timestamptz,
        ${NOON}::timestamptz + n * interval '1 second'
      from generate_series(1, 20000) n`.execute(db)
    const devices = devicesAt()
    const last = await devices.list(org_id, 'live', { page: 400, limit: 50 })
    expect(ids(last)).toEqual(Array.from({ length: 50 }, (_, index) => `device-${50 - index}`))
    expect(last.pagination).toEqual({ page: 400, limit: 50, total: 20_000, pages: 400 })
    await sql`delete from edge_devices where org_id = ${org_id}`.execute(db)
  })
})
