/** SQL of the device list of the console and of single devices. */
import { sql } from 'kysely'
import type { Owner } from '../../../platform/owner.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { EdgeTables } from '../tables.ts'
import type { Place } from './browse-cursor.ts'

export type StoredDevice = EdgeTables['edge_devices']
const COLUMNS = sql`d.org_id, d.mode, d.device_id, d.device_type, d.name, d.firmware_version,
  d.location, d.tags, d.created_at, d.last_seen_at`

export type BrowseQuery = {
  /** Last seen at this time or later. */
  since?: Date | undefined
  /** Last seen before this time. */
  before?: Date | undefined
  /** Part of the id, the name, the firmware version or a tag, case-insensitive. */
  text?: string | undefined
  after?: Place | undefined
  limit: number
  /** Maximum number of devices searched for the text, whether they match or not. */
  examined_max: number
}

/**
 * Lists devices, last seen first. A text is searched for in at most `examined_max` devices, so that
 * a page costs no more in a large fleet.
 *
 * @returns `stopped` is the position to continue from; undefined at the end of the list
 */
export async function browseDevices(
  db: Db,
  owner: Owner,
  { since, before, text, after, limit, examined_max }: BrowseQuery,
): Promise<{ rows: StoredDevice[]; stopped: Place | undefined }> {
  const { seen = 'infinity', device_id = '' } = after ?? {}
  const examinedMax = text === undefined ? limit + 1 : examined_max
  type Found = StoredDevice & {
    seen: string
    is_found: boolean | null
    examined: number
    last_seen: string
    last_id: string
  }
  const { rows } = await sql<Found>`
    with examined as materialized (
      select ${COLUMNS}, d.last_seen_at::text as seen
      from edge_devices d
      where d.org_id = ${owner.org_id} and d.mode = ${owner.mode}
        and d.last_seen_at <= ${seen}::timestamptz
        and (d.last_seen_at < ${seen}::timestamptz or d.device_id > ${device_id})
        and d.last_seen_at >= ${since ?? '-infinity'}::timestamptz
        and d.last_seen_at < ${before ?? 'infinity'}::timestamptz
      order by d.last_seen_at desc, d.device_id
      limit ${examinedMax}::integer
    )
    select ${COLUMNS}, d.seen, d.is_found, last.examined, last.last_seen, last.last_id
    from (
      select count(*) over ()::integer as examined, seen as last_seen, device_id as last_id
      from examined order by last_seen_at, device_id desc limit 1
    ) last
    left join (
      select true as is_found, * from examined d where ${holds(text)}
      order by d.last_seen_at desc, d.device_id limit ${limit + 1}::integer
    ) d on true
    order by d.last_seen_at desc, d.device_id`.execute(db)
  const found = rows.filter(({ is_found }) => is_found === true)
  const shown = found.slice(0, limit)
  const [first] = rows
  const end = found.length > limit ? shown.at(-1) : undefined
  if (end) return { rows: shown, stopped: { seen: end.seen, device_id: end.device_id } }
  const isEnd = first === undefined || first.examined < examinedMax
  return {
    rows: shown,
    stopped: isEnd ? undefined : { seen: first.last_seen, device_id: first.last_id },
  }
}

/** SQL condition that the text occurs in the id, name, firmware version or a tag of `d`. */
function holds(text: string | undefined) {
  if (text === undefined) return sql`true`
  const wanted = text.toLowerCase()
  const isIn = (column: string) => sql`position(${wanted} in lower(${sql.ref(column)})) > 0`
  return sql`(${isIn('d.device_id')} or ${isIn('d.name')} or ${isIn('d.firmware_version')}
    or exists (select 1 from unnest(d.tags) as tag where ${isIn('tag')}))`
}

export async function findDevice(db: Db, { org_id, mode }: Owner, deviceId: string) {
  return await db
    .selectFrom('edge_devices')
    .selectAll()
    .where('org_id', '=', org_id)
    .where('mode', '=', mode)
    .where('device_id', '=', deviceId)
    .executeTakeFirst()
}
