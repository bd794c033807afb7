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

/** If fewer than one in five devices match, skipping the others costs more than sorting the matches. */
const RARE_RATIO = 5

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
 * so that deep pages stay cheap: the scan covers all devices if many match, and only the matches if few
 * do.
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
  const isRare = numbers.matching * RARE_RATIO < numbers.all
  const found = isRare ? rareMatches(orgId, filter) : commonMatches(orgId, filter, order)
  // The lateral join reads row by row; a plan for an unknown number of rows reads the whole table.
  const { rows } = await sql<DeviceRow>`
    select d.* from (
      select id from ${found} as found
      order by ${order} limit ${count} offset ${isFromOldest ? remaining : skipped}
    ) as listed
    cross join lateral (
      select * from mdm_devices where org_id = ${orgId} and id = listed.id limit 1
    ) as d
    order by d.id desc`.execute(db)
  return rows
}

/** Reads all matches from the index of the filter, to be sorted afterwards. */
const rareMatches = (orgId: string, filter: DeviceFilter): RawBuilder<unknown> => sql`(
  with matches as materialized (
    select id from mdm_devices where org_id = ${orgId} and ${enumerated(filter)}
  )
  select id from matches)`

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

/** The same condition in a form that enters the index at each combination of the values. */
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
