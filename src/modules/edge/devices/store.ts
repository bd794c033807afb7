/** SQL of registered devices. */
import { sql } from 'kysely'
import type { Mode } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { EdgeTables } from '../tables.ts'

export type DeviceRow = Omit<EdgeTables['edge_devices'], 'created_at'>
export type DeviceFields = Pick<
  DeviceRow,
  'device_type' | 'name' | 'firmware_version' | 'location' | 'tags'
>
export type DeviceKey = Pick<DeviceRow, 'org_id' | 'mode' | 'device_id'>
/** A registration or heartbeat of a device, with the fields it sent. */
export type Sighting = DeviceKey & { fields: Partial<DeviceFields>; seen_at: Date }

const COLUMNS = sql`d.org_id, d.mode, d.device_id, d.device_type, d.name, d.firmware_version,
  d.location, d.tags, d.last_seen_at`

/**
 * Fields and members of the location that were not sent keep their stored values, and `last_seen_at` never moves back. All
 * statements that write devices do so in the order of the key, so that they cannot deadlock.
 *
 * @param sightings one per device
 * @returns the updated devices, in any order
 */
export async function upsertDevices(db: Db, sightings: readonly Sighting[]): Promise<DeviceRow[]> {
  const fieldsByDevice = sightings.map(({ fields, ...rest }) => ({ ...rest, ...fields }))
  const { rows } = await sql<DeviceRow>`
    insert into edge_devices as d (org_id, mode, device_id, device_type, name, firmware_version,
      location, tags, created_at, last_seen_at)
    select org_id, mode, device_id, device_type, name, firmware_version, location, tags, seen_at,
      seen_at
    from json_to_recordset(${JSON.stringify(fieldsByDevice)}::json) as g (
      org_id uuid, mode text, device_id text, device_type text, name text, firmware_version text,
      location jsonb, tags text[], seen_at timestamptz)
    order by org_id, mode, device_id
    on conflict (org_id, mode, device_id) do update set
      device_type = coalesce(excluded.device_type, d.device_type),
      name = coalesce(excluded.name, d.name),
      firmware_version = coalesce(excluded.firmware_version, d.firmware_version),
      location = coalesce(d.location || excluded.location, excluded.location, d.location),
      tags = coalesce(excluded.tags, d.tags),
      last_seen_at = greatest(excluded.last_seen_at, d.last_seen_at)
    returning ${COLUMNS}`.execute(db)
  return rows
}

export type DeviceQuery = {
  /** From 1. */
  page: number
  limit: number
  /** Bounds of `last_seen_at`, both inclusive. */
  start?: Date | undefined
  end?: Date | undefined
}

/** The page and the number of all in one statement, so that they speak of the same moment. */
export async function listDevices(
  db: Db,
  orgId: string,
  mode: Mode,
  { page, limit, start, end }: DeviceQuery,
): Promise<{ rows: DeviceRow[]; total: number }> {
  const matching = sql`d.org_id = ${orgId} and d.mode = ${mode}
    and d.last_seen_at >= ${start ?? '-infinity'}::timestamptz
    and d.last_seen_at <= ${end ?? 'infinity'}::timestamptz`
  type Found = DeviceRow & { total: number; is_device: boolean | null }
  // Places are found in the index alone; only the devices of the page are read.
  const { rows } = await sql<Found>`
    select counted.total, is_device, ${COLUMNS}
    from (select count(*) as total from edge_devices d where ${matching}) counted
    left join (
      select org_id, mode, device_id, last_seen_at from edge_devices d where ${matching}
      order by last_seen_at desc, device_id
      limit ${limit}::bigint offset ${(page - 1) * limit}::bigint
    ) place on true
    left join lateral (
      select true as is_device, * from edge_devices d
      where d.org_id = place.org_id and d.mode = place.mode and d.device_id = place.device_id
    ) d on true
    order by place.last_seen_at desc, place.device_id`.execute(db)
  return {
    total: rows[0]?.total ?? 0,
    rows: rows
      .filter(({ is_device }) => is_device)
      .map(({ total: _total, is_device: _is, ...row }) => row),
  }
}
