/** SQL for reading devices: pages of large fleets, and the history of one device. */
import { type RawBuilder, sql } from 'kysely'
import type { Paging } from '../../../platform/http/paging.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { CommandRow } from '../commands/record.ts'
import { COMPLIANCE_STATES, MANAGEMENT_MODES } from '../tables.ts'
import { type DeviceFilter, LIVE_STATES } from './filter.ts'
import type { DeviceRow } from './record.ts'

export type DeviceNumbers = {
  matching: number
  /** Includes deleted devices. */
  all: number
}

/** Reads the maintained counts, because counting a large fleet takes too long. */
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

/** If more devices match, skipping the others costs less than planning a statement with each combination of values. */
const COMMON_SHARE = 0.8

type DeviceListQuery = {
  db: Db
  orgId: string
  filter: DeviceFilter
  paging: Paging
  /** The counts of the same filter. */
  numbers: DeviceNumbers
}

/**
 * Lists one page, the newest enrolled first. The page is located in an index alone, from the nearer end,
 * so that deep pages stay cheap: the scan covers all devices if most match, and otherwise only the
 * matches.
 */
export async function listDevices({
  db,
  orgId,
  filter,
  paging: { page, limit },
  numbers,
}: DeviceListQuery): Promise<DeviceRow[]> {
  const skipped = (page - 1) * limit
  const count = Math.min(limit, numbers.matching - skipped)
  if (count <= 0) return []
  const remaining = numbers.matching - skipped - count
  const isFromOldest = remaining < skipped
  const order = isFromOldest ? sql`id asc` : sql`id desc`
  const isCommon = numbers.matching > COMMON_SHARE * numbers.all
  const offset = isFromOldest ? remaining : skipped
  const part = sql`order by ${order} limit ${offset + count}`
  const found = isCommon ? commonMatches(orgId, filter, order) : mergedMatches(orgId, filter, part)
  // The lateral join reads row by row; a plan for an unknown number of rows reads the whole table. The sequence of ids has
  // one index. The same row by its id would be found by any index that begins with an organization, whose devices the
  // planner takes for few until it has statistics about them.
  const { rows } = await sql<DeviceRow>`
    select d.* from (
      select id from ${found} as found
      order by ${order} limit ${count} offset ${offset}
    ) as listed
    cross join lateral (
      select * from mdm_devices where org_id = ${orgId} and id >= listed.id order by id limit 1
    ) as d
    order by d.id desc`.execute(db)
  return rows
}

/**
 * Reads the devices of each combination of values up to the end of the page, because the index of the filter has them in
 * order. Reading all matches takes seconds after most devices have reported: an index alone does not tell whether a
 * changed row is visible.
 */
function mergedMatches(
  orgId: string,
  filter: DeviceFilter,
  part: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const { state, mode, compliance, group_id } = filter
  const group = group_id === undefined ? sql`` : sql`and group_id = ${group_id}::uuid`
  const parts = (state === undefined ? LIVE_STATES : [state]).flatMap((one) =>
    (mode === undefined ? MANAGEMENT_MODES : [mode]).flatMap((other) =>
      (compliance === undefined ? COMPLIANCE_STATES : [compliance]).map(
        (third) => sql`(select id from mdm_devices where org_id = ${orgId} ${group}
          and state = ${sql.lit(one)} and management_mode = ${sql.lit(other)}
          and compliance_state = ${sql.lit(third)} ${part})`,
      ),
    ),
  )
  return sql`(${sql.join(parts, sql` union all `)})`
}

/** Reads devices in order until the page is full. */
const commonMatches = (
  orgId: string,
  filter: DeviceFilter,
  order: RawBuilder<unknown>,
): RawBuilder<unknown> => sql`(
  select id from mdm_devices where org_id = ${orgId} and ${matching(filter)} order by ${order})`

/**
 * Condition on columns of `mdm_devices` or `mdm_device_counts`. It uses operators that no index
 * supports, so that the planner reads in the order of the list and skips what does not match.
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

export const findDevice = async (db: Db, org_id: string, id: string) =>
  await db
    .selectFrom('mdm_devices')
    .selectAll()
    .where((eb) => eb.and({ org_id, id }))
    .executeTakeFirst()

/** Newest first. */
export const listCommandsOfDevice = async (
  db: Db,
  org_id: string,
  device_id: string,
  limit: number,
): Promise<CommandRow[]> =>
  await db
    .selectFrom('mdm_commands')
    .selectAll()
    .where((eb) => eb.and({ org_id, device_id }))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute()
