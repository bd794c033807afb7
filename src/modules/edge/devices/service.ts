/** Registration, heartbeats and listing of edge devices. */
import { type Batcher, createBatcher } from '../../../platform/batch.ts'
import type { Clock } from '../../../platform/clock.ts'
import { paginationOf } from '../../../platform/http/paging.ts'
import { IDENTIFIER_MAX_CHARS } from '../../../platform/http/schemas.ts'
import type { Mode, Owner } from '../../../platform/owner.ts'
import { type Db, isStatementFault } from '../../../platform/postgres/db.ts'
import { activeSince } from './activity.ts'
import { type BrowseQuery, browseDevices, findDevice, type StoredDevice } from './browse.store.ts'
import { cursorOf } from './browse-cursor.ts'
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

export type Devices = {
  /** Fields that are left out keep their stored values. */
  register(owner: Owner, registration: Registration): Promise<Device>
  /** Creates an unknown device. @returns undefined if the text cannot be a device id */
  heartbeat(owner: Owner, deviceId: string): Promise<Device | undefined>
  /** Last seen first. */
  list(orgId: string, mode: Mode, query: DeviceQuery): Promise<DevicePage>
  /** Lists the matching devices in the same order, by cursor. */
  browse(owner: Owner, filters: DeviceFilters): Promise<KnownDevicePage>
  find(owner: Owner, deviceId: string): Promise<KnownDevice | undefined>
}

export type DeviceFilters = Pick<BrowseQuery, 'text' | 'after' | 'limit'> & {
  status?: Device['status'] | undefined
}

export type DeviceOptions = {
  db: Db
  clock: Clock
  /** A device is active for this long after it was last seen. */
  edge_device_active_minutes: number
}

const SIGHTINGS_PER_BATCH_MAX = 256
const BATCHES_IN_FLIGHT_MAX = 2
/** Fewer sightings wait for the running batch, because two small statements cost more than one. */
const SECOND_BATCH_MIN = 16
const EXAMINED_MAX = 5000

export function createDevices(options: DeviceOptions): Devices {
  const { db, clock, edge_device_active_minutes } = options
  const sightings = createSightings(db)
  const deviceOf = (row: DeviceRow): Device =>
    toDevice(row, activeSince(clock.now(), edge_device_active_minutes))
  const see = async ({ org_id, mode }: Owner, device_id: string, fields: Sighting['fields']) =>
    deviceOf(await sightings.submit({ org_id, mode, device_id, fields, seen_at: clock.now() }))

  return {
    register: async (owner, registration) =>
      await see(owner, registration.device_id, fieldsOf(registration)),
    heartbeat: async (owner, deviceId) =>
      isDeviceId(deviceId) ? await see(owner, deviceId, {}) : undefined,
    list: async (orgId, mode, query) => {
      const { rows, total } = await listDevices(db, orgId, mode, query)
      return { devices: rows.map(deviceOf), pagination: paginationOf(query, total) }
    },
    browse: async (owner, { status, ...filters }) => {
      const active = activeSince(clock.now(), edge_device_active_minutes)
      const { rows, stopped } = await browseDevices(db, owner, {
        ...filters,
        since: status === 'active' ? active : undefined,
        before: status === 'inactive' ? active : undefined,
        examined_max: EXAMINED_MAX,
      })
      return {
        devices: rows.map((row) => toKnownDevice(row, active)),
        next_cursor: stopped ? cursorOf(stopped) : null,
        active_minutes: edge_device_active_minutes,
      }
    },
    find: async (owner, deviceId) => {
      const row = isDeviceId(deviceId) ? await findDevice(db, owner, deviceId) : undefined
      return row && toKnownDevice(row, activeSince(clock.now(), edge_device_active_minutes))
    },
  }
}

/** A large fleet sends heartbeats constantly, so waiting ones are written in one statement. */
function createSightings(db: Db): Batcher<Sighting, DeviceRow> {
  return createBatcher<Sighting, DeviceRow>({
    run: async (sightings) => {
      const rows = await upsertDevices(db, onePerDevice(sightings))
      const byName = new Map(rows.map((row) => [nameOfDevice(row), row]))
      return sightings.map((sighting) => {
        const row = byName.get(nameOfDevice(sighting))
        if (!row) throw new Error('the upsert did not return a device that it wrote')
        return row
      })
    },
    items_max: SIGHTINGS_PER_BATCH_MAX,
    batches_in_flight_max: BATCHES_IN_FLIGHT_MAX,
    second_batch_min: SECOND_BATCH_MIN,
    may_be_one_item: isStatementFault,
  })
}

/** Merges sightings of the same device; later fields win. */
function onePerDevice(sightings: readonly Sighting[]): Sighting[] {
  const merged = new Map<string, Sighting>()
  for (const sighting of sightings) {
    const name = nameOfDevice(sighting)
    const earlier = merged.get(name)
    const fields = mergedFields(earlier?.fields ?? {}, sighting.fields)
    const isLater = earlier === undefined || sighting.seen_at > earlier.seen_at
    merged.set(name, { ...sighting, fields, seen_at: (isLater ? sighting : earlier).seen_at })
  }
  return [...merged.values()]
}

const mergedFields = (earlier: Sighting['fields'], later: Sighting['fields']) => ({
  ...earlier,
  ...later,
  ...((earlier.location || later.location) && {
    location: { ...earlier.location, ...later.location },
  }),
})

const nameOfDevice = ({ org_id, mode, device_id }: DeviceKey): string =>
  `${org_id} ${mode} ${device_id}`

/** The body schema enforces this for registrations; a path parameter has no such check. */
const isDeviceId = (text: string): boolean =>
  text !== '' && Array.from(text).length <= IDENTIFIER_MAX_CHARS && !text.includes('\0')

function fieldsOf(registration: Registration): Partial<DeviceFields> {
  const { device_type, name, firmware_version, location, tags } = registration
  return given({
    device_type,
    name,
    firmware_version,
    location: location && given({ name: location.name, address: location.address }),
    tags,
  })
}

type Given<T> = { [Name in keyof T]?: NonNullable<T[Name]> }

/** Without the members that were left out or are null. */
const given = <T extends object>(members: T): Given<T> =>
  Object.fromEntries(
    Object.entries(members).filter(([, value]) => value !== undefined && value !== null),
  ) as Given<T>

function toDevice(row: DeviceRow, active: Date): Device {
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

const toKnownDevice = (row: StoredDevice, active: Date): KnownDevice => ({
  ...toDevice(row, active),
  first_seen_at: row.created_at.toISOString(),
})
