/** SQL of reading devices: pages of large fleets, and one device with what happened to it. */
import { type RawBuilder, sql } from 'kysely'
import type { Paging } from '../../../../platform/http/paging.ts'
import type { Db } from '../../../../platform/postgres/db.ts'
import { COMPLIANCE_STATES, MANAGEMENT_MODES } from '../../../../platform/postgres/tables/mdm.ts'
import type { CommandRow } from '../../commands/record.ts'
import type { DeviceRow } from '../record.ts'
import { type DeviceFilter, LIVE_STATES } from './filter.ts'

export type DeviceNumbers = {
  matching: number
  /** Of the organisation, deleted ones too. */
  all: number
}

/** From the counts that are kept, not from the devices. */
export async function countDevices(
  db: Db,
  orgId: string,
  filter: DeviceFilter,
): Promise<DeviceNumbers> {
  const { rows } = await sql<DeviceNumbers>`
    select coalesce(sum(devices) filter (where ${matching(filter)}), 0)::bigint as matching,
      coalesce(sum(devices), 0)::bigint as all
    from mdm_device_counts where org_id = ${orgId}`.execute(db)
  return rows[0] ?? { matching: 0, all: 0 }
}

/** Where fewer than one in so many devices fit, passing over the others costs more than sorting. */
const FEW = 5

/**
 * One page, the newest enrolled first, found in an index alone however deep it lies: from the nearer end,
 * over all devices where many of them fit, and over those that fit where few do.
 *
 * @param numbers of the same filter; what changed since moves the page as it moves any
 */
export async function listDevices(
  db: Db,
  orgId: string,
  filter: DeviceFilter,
  { page, limit }: Paging,
  numbers: DeviceNumbers,
): Promise<DeviceRow[]> {
  const skipped = (page - 1) * limit
  const count = Math.min(limit, numbers.matching - skipped)
  if (count <= 0) return []
  const behind = numbers.matching - skipped - count
  const isFromOldest = behind < skipped
  const order = isFromOldest ? sql`id asc` : sql`id desc`
  const isFew = numbers.matching * FEW < numbers.all
  const found = isFew ? few(orgId, filter) : many(orgId, filter, order)
  // The rows themselves are read one by one: a plan for any number of them reads the whole table.
  const { rows } = await sql<DeviceRow>`
    select d.* from (
      select id from ${found} as found
      order by ${order} limit ${count} offset ${isFromOldest ? behind : skipped}
    ) as listed
    cross join lateral (
      select * from mdm_devices where org_id = ${orgId} and id = listed.id limit 1
    ) as d
    order by d.id desc`.execute(db)
  return rows
}

/** Read whole, in whatever order its index has them. */
const few = (orgId: string, filter: DeviceFilter): RawBuilder<unknown> => sql`(
  with fitting as materialized (
    select id from mdm_devices where org_id = ${orgId} and ${enumerated(filter)}
  )
  select id from fitting)`

/** Read in order until the page is full. */
const many = (
  orgId: string,
  filter: DeviceFilter,
  order: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`(
  select id from mdm_devices where org_id = ${orgId} and ${matching(filter)} order by ${order})`

/**
 * Of columns of `mdm_devices` or `mdm_device_counts`; only what is asked for is compared. In words that
 * no index is chosen for: read in the order of a list, rows are to be passed over where they lie.
 */
function matching({ state, mode, compliance, group_id }: DeviceFilter): RawBuilder<unknown> {
  return sql.join(
    [
      state === undefined ? sql`state <> 'deleted'` : sql`state ${SAME} ${state}`,
      ...(mode === undefined ? [] : [sql`management_mode ${SAME} ${mode}`]),
      ...(compliance === undefined ? [] : [sql`compliance_state ${SAME} ${compliance}`]),
      ...(group_id === undefined ? [] : [sql`group_id ${SAME} ${group_id}::uuid`]),
    ],
    sql` and `,
  )
}

const SAME = sql`is not distinct from`

/** The same, so that an index by these columns is entered at each combination of their values. */
function enumerated({ state, mode, compliance, group_id }: DeviceFilter): RawBuilder<unknown> {
  return sql.join(
    [
      sql`state = any(${state === undefined ? LIVE_STATES : [state]}::text[])`,
      sql`management_mode = any(${mode === undefined ? MANAGEMENT_MODES : [mode]}::text[])`,
      sql`compliance_state = any(${compliance === undefined ? COMPLIANCE_STATES : [compliance]}::text[])`,
      ...(group_id === undefined ? [] : [sql`group_id = ${group_id}::uuid`]),
    ],
    sql` and `,
  )
}

export const findDevice = async (
  db: Db,
  orgId: string,
  deviceId: string,
): Promise<DeviceRow | undefined> =>
  await db
    .selectFrom('mdm_devices')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('id', '=', deviceId)
    .executeTakeFirst()

/** The newest first. */
export const listCommandsOfDevice = async (
  db: Db,
  orgId: string,
  deviceId: string,
  limit: number,
): Promise<CommandRow[]> =>
  await db
    .selectFrom('mdm_commands')
    .selectAll()
    .where('org_id', '=', orgId)
    .where('device_id', '=', deviceId)
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
