/** The register of edge devices: registered, heard from, listed. */
import { type Batcher, createBatcher } from '../../../platform/batch.ts'
import type { Clock } from '../../../platform/clock.ts'
import { paginationOf } from '../../../platform/http/paging.ts'
import { IDENTIFIER_MAX_CHARS } from '../../../platform/http/schemas.ts'
import { type Db, isStatementFault } from '../../../platform/postgres/db.ts'
import type { Mode } from '../../../platform/postgres/tables/platform.ts'
import { activeSince } from './activity.ts'
import { cursorOf, type Place } from './browsing/page.ts'
import { browseDevices, findDevice, type StoredDevice } from './browsing/store.ts'
import type { Device, DevicePage, KnownDevice, KnownDevicePage, Registration } from './schema.ts'
import {
  type DeviceFields,
  type DeviceKey,
  type DeviceQuery,
  type DeviceRow,
  listDevices,
  type Sighting,
  upsertDevices,
} from './store.ts'

export type DeviceOwner = { org_id: string; mode: Mode }

export type Devices = {
  /** What is left out stays as it is stored. */
  register(owner: DeviceOwner, registration: Registration): Promise<Device>
  /** One that is not known yet is created. @returns undefined when the name can be none */
  heartbeat(owner: DeviceOwner, deviceId: string): Promise<Device | undefined>
  /** The one heard from last is the first. */
  list(orgId: string, mode: Mode, query: DeviceQuery): Promise<DevicePage>
  /** In the same order, page by page, as far as they match. */
  browse(owner: DeviceOwner, asked: AskedDevices): Promise<KnownDevicePage>
  find(owner: DeviceOwner, deviceId: string): Promise<KnownDevice | undefined>
}

export type AskedDevices = {
  status?: Device['status'] | undefined
  /** Part of the id, the name, the firmware or a tag. */
  text?: string | undefined
  after?: Place | undefined
  limit: number
}

export type DeviceOptions = {
  db: Db
  clock: Clock
  /** So long after it was heard from a device is active. */
  edge_device_active_minutes: number
}

const SIGHTINGS_PER_BATCH_MAX = 256
const BATCHES_IN_FLIGHT_MAX = 2
/** Fewer wait for the batch under way: two small statements cost more than one. */
const SECOND_BATCH_MIN = 16
const EXAMINED_MAX = 5000

export function createDevices(options: DeviceOptions): Devices {
  const { db, clock, edge_device_active_minutes } = options
  const sightings = createSightings(db)
  const shown = (row: DeviceRow): Device =>
    shownDevice(row, activeSince(clock.now(), edge_device_active_minutes))
  const see = async (
    { org_id, mode }: DeviceOwner,
    device_id: string,
    fields: Sighting['fields'],
  ) => shown(await sightings.submit({ org_id, mode, device_id, fields, seen_at: clock.now() }))

  return {
    register: async (owner, registration) =>
      await see(owner, registration.device_id, fieldsOf(registration)),
    heartbeat: async (owner, deviceId) =>
      isDeviceId(deviceId) ? await see(owner, deviceId, {}) : undefined,
    list: async (orgId, mode, query) => {
      const { rows, total } = await listDevices(db, orgId, mode, query)
      return { devices: rows.map(shown), pagination: paginationOf(query, total) }
    },
    browse: async (owner, { status, ...asked }) => {
      const active = activeSince(clock.now(), edge_device_active_minutes)
      const { rows, stopped } = await browseDevices(db, owner, {
        ...asked,
        since: status === 'active' ? active : undefined,
        before: status === 'inactive' ? active : undefined,
        examined_max: EXAMINED_MAX,
      })
      return {
        devices: rows.map((row) => knownDevice(row, active)),
        next_cursor: stopped ? cursorOf(stopped) : null,
        active_minutes: edge_device_active_minutes,
      }
    },
    find: async (owner, deviceId) => {
      const row = isDeviceId(deviceId) ? await findDevice(db, owner, deviceId) : undefined
      return row && knownDevice(row, activeSince(clock.now(), edge_device_active_minutes))
    },
  }
}

/** A fleet sends heartbeats all the time: those that wait together are one statement. */
function createSightings(db: Db): Batcher<Sighting, DeviceRow> {
  return createBatcher<Sighting, DeviceRow>({
    run: async (sightings) => {
      const rows = await upsertDevices(db, onePerDevice(sightings))
      const byName = new Map(rows.map((row) => [nameOfDevice(row), row]))
      return sightings.map((sighting) => {
        const row = byName.get(nameOfDevice(sighting))
        if (!row) throw new Error('a device that was written is not there')
        return row
      })
    },
    items_max: SIGHTINGS_PER_BATCH_MAX,
    batches_in_flight_max: BATCHES_IN_FLIGHT_MAX,
    beside_min: SECOND_BATCH_MIN,
    may_be_one_item: isStatementFault,
  })
}

/** Of the same device, what was told later counts. */
function onePerDevice(sightings: readonly Sighting[]): Sighting[] {
  const merged = new Map<string, Sighting>()
  for (const sighting of sightings) {
    const name = nameOfDevice(sighting)
    const earlier = merged.get(name)
    const fields = { ...earlier?.fields, ...sighting.fields }
    const isLater = earlier === undefined || sighting.seen_at > earlier.seen_at
    merged.set(name, { ...sighting, fields, seen_at: (isLater ? sighting : earlier).seen_at })
  }
  return [...merged.values()]
}

const nameOfDevice = ({ org_id, mode, device_id }: DeviceKey): string =>
  `${org_id} ${mode} ${device_id}`

/** In a body the schema and the parser say so; in a path nobody does. */
const isDeviceId = (text: string): boolean =>
  text !== '' && Array.from(text).length <= IDENTIFIER_MAX_CHARS && !text.includes('\0')

function fieldsOf(registration: Registration): Partial<DeviceFields> {
  const { device_type, name, firmware_version, location, tags } = registration
  return {
    ...(device_type !== undefined && { device_type }),
    ...(name !== undefined && { name }),
    ...(firmware_version !== undefined && { firmware_version }),
    ...(location !== undefined && { location: knownLocation(location) }),
    ...(tags !== undefined && { tags }),
  }
}

/** Members that the contract does not list are not stored (OP-37). */
const knownLocation = ({ name, address }: NonNullable<Registration['location']>) => ({
  ...(name !== undefined && { name }),
  ...(address !== undefined && { address }),
})

function shownDevice(row: DeviceRow, active: Date): Device {
  const { device_id, device_type, name, firmware_version, location, tags, last_seen_at } = row
  return {
    device_id,
    device_type,
    name,
    firmware_version,
    location: location && { name: location.name ?? null, address: location.address ?? null },
    tags: tags ?? [],
    last_seen_at: last_seen_at.toISOString(),
    status: last_seen_at >= active ? 'active' : 'inactive',
  }
}

const knownDevice = (row: StoredDevice, active: Date): KnownDevice => ({
  ...shownDevice(row, active),
  first_seen_at: row.created_at.toISOString(),
})
