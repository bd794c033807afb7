/** SQL that records the devices which sent logs. */
import { sql } from 'kysely'
import type { Mode } from '../../../platform/owner.ts'
import { textArray, timeArray, uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Writer } from '../../../platform/postgres/rows.ts'

export type SeenDevice = { org_id: string; mode: Mode; device_id: string; seen_at: Date }

/**
 * Creates unknown devices and moves `last_seen_at` of known ones forward, never back. Rows are
 * written in the order of the key, so that two transactions cannot deadlock.
 */
export const seenDeviceWriter: Writer<SeenDevice> = {
  name: 'seen_devices',
  write: (devices) => sql`
    insert into edge_devices as d (org_id, mode, device_id, created_at, last_seen_at)
    select distinct on (org_id, mode, device_id) org_id, mode, device_id, seen_at, seen_at
    from unnest(
      ${uuidArray(devices.map(({ org_id }) => org_id))}::uuid[],
      ${textArray(devices.map(({ mode }) => mode))}::text[],
      ${textArray(devices.map(({ device_id }) => device_id))}::text[],
      ${timeArray(devices.map(({ seen_at }) => seen_at))}::timestamptz[]
    ) as n (org_id, mode, device_id, seen_at)
    order by org_id, mode, device_id, seen_at desc
    on conflict (org_id, mode, device_id) do update set last_seen_at = excluded.last_seen_at
      where d.last_seen_at < excluded.last_seen_at`,
}
