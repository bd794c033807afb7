import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { ownDatabase, testDatabase } from '../../../../test/database.ts'
import {
  addAuditEntries,
  addCommand,
  addDevice,
  addDevices,
  managedDevice,
} from '../../../../test/support/mdm.ts'
import { rowsRead } from '../../../../test/support/rows-read.ts'
import { COMPLIANCE_STATES, DEVICE_STATES, MANAGEMENT_MODES } from '../tables.ts'
import type { DeviceFilter } from './filter.ts'
import { listDevices } from './reading.store.ts'
import { createDeviceReading } from './reading.ts'
import { type DeviceRow, toDevice } from './record.ts'

const db = testDatabase()
const reading = createDeviceReading({ db })

const GROUP = randomUUID()
const ENROLLED_MS = Date.parse('2026-02-01T08:00:00.000Z')

/** Devices of every kind, some rare and some common, each enrolled a second after another. */
function fleet(org_id: string): DeviceRow[] {
  return Array.from({ length: 400 }, (_, index) => {
    const isCommon = index % 4 !== 0
    const pick = <T>(values: readonly T[], by: number): T =>
      values[isCommon ? 0 : Math.floor(index / by) % values.length] as T
    return managedDevice({
      org_id,
      state: pick(DEVICE_STATES, 4),
      management_mode: pick(MANAGEMENT_MODES, 8),
      compliance_state: pick(COMPLIANCE_STATES, 12),
      group_id: index % 3 === 0 ? GROUP : null,
      created_at: new Date(ENROLLED_MS + index * 1000),
    })
  })
}

const matches =
  ({ state, mode, compliance, group_id }: DeviceFilter) =>
  (row: DeviceRow): boolean =>
    (state === undefined ? row.state !== 'deleted' : row.state === state) &&
    (mode === undefined || row.management_mode === mode) &&
    (compliance === undefined || row.compliance_state === compliance) &&
    (group_id === undefined || row.group_id === group_id)

const optional = <T>(values: readonly T[]): (T | undefined)[] => [undefined, ...values]

function* filters(): Generator<DeviceFilter> {
  for (const state of optional(DEVICE_STATES))
    for (const mode of optional(MANAGEMENT_MODES))
      for (const compliance of optional(COMPLIANCE_STATES))
        for (const group_id of optional([GROUP])) {
          yield {
            ...(state && { state }),
            ...(mode && { mode }),
            ...(compliance && { compliance }),
            ...(group_id && { group_id }),
          }
        }
}

describe('the list of devices', () => {
  const org_id = randomUUID()
  const devices = fleet(org_id)
  beforeAll(async () => {
    await addDevices(db, devices)
    await addDevices(db, fleet(randomUUID()).slice(0, 20))
  })

  it('OP-31: contains exactly the matching devices for every combination of filters', async () => {
    for (const filter of filters()) {
      const expected = devices.filter(matches(filter)).toReversed()
      const list = await reading.list(org_id, { ...filter, page: 1, limit: 1000 })
      expect(list.devices, JSON.stringify(filter)).toEqual(expected.map(toDevice))
      const { length } = expected
      const pagination = { page: 1, limit: 1000, total: length, pages: Math.ceil(length / 1000) }
      expect(list.pagination, JSON.stringify(filter)).toEqual(pagination)
    }
  })

  it.each([
    ['all', {}],
    ['many matches', { mode: 'fully_managed' }],
    ['few matches', { state: 'lost' }],
    ['a group', { group_id: GROUP, compliance: 'compliant' }],
  ] as const)('contains each device once on its pages, newest first: %s', async (_, filter) => {
    const expected = devices.filter(matches(filter)).toReversed()
    for (const limit of [1, 7, 50]) {
      const ids: string[] = []
      const pages = Math.ceil(expected.length / limit)
      for (let page = 1; page <= pages; page += 1) {
        const list = await reading.list(org_id, { ...filter, page, limit })
        expect(list.pagination).toEqual({ page, limit, total: expected.length, pages })
        ids.push(...list.devices.map(({ id }) => id))
      }
      expect(ids).toEqual(expected.map(({ id }) => id))
    }
  })

  it('is empty after the last page, with the same total', async () => {
    const list = await reading.list(org_id, { page: 1_000_000_000, limit: 1000 })
    expect(list.devices).toEqual([])
    expect(list.pagination.total).toBe(devices.filter(matches({})).length)
  })

  it.each(['nobody', randomUUID()])(
    'is empty for a group that does not exist: %s',
    async (group_id) => {
      const list = await reading.list(org_id, { group_id, page: 1, limit: 50 })
      expect(list).toEqual({ devices: [], pagination: { page: 1, limit: 50, total: 0, pages: 0 } })
    },
  )

  it('follows devices that change, are deleted, or move to other groups', async () => {
    const own = randomUUID()
    const group_id = randomUUID()
    const [first, second] = [
      await addDevice(db, { org_id: own }),
      await addDevice(db, { org_id: own }),
    ]
    const total = async (filter: DeviceFilter) =>
      (await reading.list(own, { ...filter, page: 1, limit: 50 })).pagination.total
    await sql`update mdm_devices set group_id = ${group_id} where id = ${first.id}`.execute(db)
    expect(await total({ group_id })).toBe(1)
    await sql`
      update mdm_devices set state = 'deleted', deleted_at = now(), group_id = null
      where id = ${first.id}`.execute(db)
    expect([await total({ group_id }), await total({}), await total({ state: 'deleted' })]).toEqual(
      [0, 1, 1],
    )
    await sql`delete from mdm_devices where id = ${second.id}`.execute(db)
    expect(await total({})).toBe(0)
  })
})

describe('a device', () => {
  const org_id = randomUUID()

  it('comes with exactly its newest 20 commands and 50 events, newest first', async () => {
    const device = await addDevice(db, {
      org_id,
      name: 'Till 3',
      custom_attributes: { store: 'Bern' },
    })
    const other = await addDevice(db, { org_id })
    const times = (count: number) =>
      Array.from({ length: count }, (_, index) => new Date(ENROLLED_MS + index * 1000))
    const commands: string[] = []
    for (const created_at of times(22)) {
      commands.push((await addCommand(db, { org_id, device_id: device.id, created_at })).id)
    }
    await addCommand(db, { org_id, device_id: other.id })
    const events = await addAuditEntries(db, org_id, times(53), { device_id: device.id })
    await addAuditEntries(db, org_id, times(2), { device_id: other.id })
    const found = await reading.find(org_id, device.id)
    expect(found?.device).toEqual(toDevice(device))
    expect(found?.commands.map(({ id }) => id)).toEqual(commands.toReversed().slice(0, 20))
    expect(found?.events.map(({ id }) => id)).toEqual(events.toReversed().slice(0, 50))
  })

  it('is still found when it is deleted', async () => {
    const { id } = await addDevice(db, { org_id, state: 'deleted' })
    expect((await reading.find(org_id, id))?.device.state).toBe('deleted')
  })

  it('OP-38: is not found by other organizations, or under a malformed id', async () => {
    const { id } = await addDevice(db, { org_id })
    expect(await reading.find(randomUUID(), id)).toBeUndefined()
    for (const odd of ['', 'x', `${id}x`, '%00']) {
      expect(await reading.find(org_id, odd)).toBeUndefined()
    }
  })
})

describe('a page of devices with a filter', () => {
  const alone = ownDatabase()

  it.each([
    'before there are statistics about the table',
    'with statistics that do not have the organization',
    'with statistics',
  ])('reads about as many rows as a page has, however many devices match, %s', async (when) => {
    const own = randomUUID()
    const kind = { org_id: own, compliance_state: 'non_compliant' as const }
    if (when.endsWith('organization')) await sql`analyze mdm_devices`.execute(alone)
    await addDevices(
      alone,
      Array.from({ length: 900 }, (_, index) =>
        managedDevice(index % 3 === 0 ? kind : { org_id: own }),
      ),
    )
    if (when === 'with statistics') await sql`analyze mdm_devices`.execute(alone)
    const read = async (page: number) =>
      await rowsRead(alone, 'mdm_devices', async (tx) => {
        const numbers = { matching: 300, all: 900 }
        const filter = { compliance: 'non_compliant' as const }
        const rows = await listDevices({
          db: tx,
          orgId: own,
          filter,
          paging: { page, limit: 5 },
          numbers,
        })
        expect(rows.length).toBe(5)
      })
    // Each of the twelve combinations shows one row, and listed devices are read again.
    expect(await read(1)).toBeLessThan(30)
    expect(await read(60)).toBeLessThan(30)
  })
})

describe('a page deep in a large fleet', () => {
  const own = ownDatabase()
  const org_id = randomUUID()

  beforeAll(async () => {
    await sql`
      insert into mdm_devices (org_id, id, provider_name, state, management_mode, ownership,
        ownership_type, compliance_state, enrolled_at, created_at, updated_at)
      select ${org_id}::uuid,
        (lpad(to_hex(1760000000000 + n * 1000::bigint), 12, '0') || '70008' || lpad('', 15, '0'))::uuid,
        'enterprises/LC1/devices/' || n, case when n % 100 = 0 then 'lost' else 'active' end,
        'fully_managed', 'company_owned', 'company_owned', 'compliant', now(), now(), now()
      from generate_series(1, 20000) n`.execute(own)
    await sql`vacuum analyze mdm_devices`.execute(own)
  })

  /** Number of blocks that a page reads from the table itself, in its own transaction. */
  async function tableBlocks(filter: DeviceFilter, page: number): Promise<number> {
    return await own.transaction().execute(async (one) => {
      const read = async () => {
        const { rows } = await sql<{ blocks: number }>`
          select pg_stat_get_xact_blocks_fetched('mdm_devices'::regclass) as blocks`.execute(one)
        return rows[0]?.blocks ?? Number.NaN
      }
      const before = await read()
      const list = await createDeviceReading({ db: one }).list(org_id, {
        ...filter,
        page,
        limit: 10,
      })
      expect(list.devices).toHaveLength(10)
      return (await read()) - before
    })
  }

  it.each([
    ['many match', {}, 1000],
    ['many match a filter', { state: 'active' }, 1000],
    ['few match', { state: 'lost' }, 10],
  ] as const)('reads only the rows of this page: %s', async (_, filter, page) => {
    // PostgreSQL may switch to a generic plan after five executions.
    for (let use = 0; use < 8; use += 1) {
      const blocks = await tableBlocks(filter, page)
      expect(blocks).toBeGreaterThan(0)
      expect(blocks).toBeLessThan(40)
    }
  })
})
