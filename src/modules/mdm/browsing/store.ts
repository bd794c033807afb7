/** SQL of the console's own reads of device management. */
import { type RawBuilder, sql } from 'kysely'
import { isUuid } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { DeviceRow } from '../devices/record.ts'
import type { ComplianceState, DeviceState, ManagementMode, MdmTables } from '../tables.ts'

export const listNamedPolicies = async (db: Db, orgId: string) =>
  await db
    .selectFrom('mdm_policies')
    .select(['id', 'name', 'management_mode', 'version', 'published_version', 'publish_error'])
    .where('org_id', '=', orgId)
    .orderBy('id', 'desc')
    .execute()

export const listNamedGroups = async (db: Db, orgId: string) =>
  await db
    .selectFrom('mdm_groups')
    .select(['id', 'name', 'policy_id'])
    .where('org_id', '=', orgId)
    .orderBy('id', 'desc')
    .execute()

export type DeviceCount = Omit<MdmTables['mdm_device_counts'], 'org_id' | 'group_id'>

/** Reads the counts that a trigger on the devices maintains. */
export async function countDevicesByKind(db: Db, orgId: string): Promise<DeviceCount[]> {
  const { rows } = await sql<DeviceCount>`
    select state, compliance_state, management_mode, sum(devices)::bigint as devices
    from mdm_device_counts where org_id = ${orgId}
    group by 1, 2, 3`.execute(db)
  return rows
}

export type DeviceSearch = {
  q?: string | undefined
  state?: DeviceState | undefined
  mode?: ManagementMode | undefined
  compliance?: ComplianceState | undefined
  /** `none` finds devices without a group. */
  group_id?: string | undefined
  policy_id?: string | undefined
}

/** Number of devices that one page compares, because no index serves parts of names. */
export const EXAMINED_MAX = 5000

export type FoundRows = { rows: DeviceRow[]; next: string | undefined; examined: number }

/**
 * Newest first.
 *
 * @param place `after` is the id of the last device of the page before
 */
export async function searchDevices(
  db: Db,
  orgId: string,
  search: DeviceSearch,
  { after, limit }: { after: string | undefined; limit: number },
): Promise<FoundRows> {
  const examinedDevices = sql`select * from mdm_devices
    where org_id = ${orgId} ${after === undefined ? sql`` : sql`and id < ${after}::uuid`}
    order by id desc limit ${sql.lit(EXAMINED_MAX)}`
  const { rows } = await sql<DeviceRow>`
    select * from (${examinedDevices}) as d where ${fits(search)}
    order by id desc limit ${limit + 1}`.execute(db)
  if (rows.length > limit) {
    const page = rows.slice(0, limit)
    return { rows: page, next: page.at(-1)?.id, examined: page.length }
  }
  const { rows: ends } = await sql<{ id: string | null; examined: number }>`
    select (array_agg(id order by id))[1] as id, count(*) as examined
    from (select id from (${examinedDevices}) as d) as e`.execute(db)
  const { id = null, examined = 0 } = ends[0] ?? {}
  return { rows, next: (examined === EXAMINED_MAX && id) || undefined, examined }
}

/** Matches the whole serial number or id, with an index. */
export async function findDevicesExactly(
  db: Db,
  orgId: string,
  { q = '', ...search }: DeviceSearch,
  limit: number,
): Promise<DeviceRow[]> {
  const isThis = isUuid(q) ? sql`id = ${q}::uuid` : sql`serial_number = ${q}`
  const { rows } = await sql<DeviceRow>`
    select * from mdm_devices d where org_id = ${orgId} and ${isThis} and ${fits(search)}
    order by id desc limit ${limit}`.execute(db)
  return rows
}

/** A condition on the device `d`. */
function fits({ q, state, mode, compliance, group_id, policy_id }: DeviceSearch) {
  const conditions: RawBuilder<unknown>[] = [
    state === undefined ? sql`d.state <> 'deleted'` : sql`d.state = ${state}`,
  ]
  if (mode !== undefined) conditions.push(sql`d.management_mode = ${mode}`)
  if (compliance !== undefined) conditions.push(sql`d.compliance_state = ${compliance}`)
  if (policy_id !== undefined) conditions.push(isId('policy_id', policy_id))
  if (group_id === 'none') conditions.push(sql`d.group_id is null`)
  else if (group_id !== undefined) conditions.push(isId('group_id', group_id))
  if (q !== undefined && q !== '') conditions.push(contains(q))
  return sql.join(conditions, sql` and `)
}

/** Text that is no UUID matches no record; comparing it in SQL would be an error. */
const isId = (column: string, id: string): RawBuilder<unknown> =>
  isUuid(id) ? sql`${sql.ref(`d.${column}`)} = ${id}::uuid` : sql`false`

const SEARCHED = ['name', 'serial_number', 'model', 'brand', 'assigned_user_id'] as const

const contains = (q: string): RawBuilder<unknown> =>
  sql`strpos(lower(concat_ws(chr(10), d.id::text, ${sql.join(
    SEARCHED.map((column) => sql.ref(`d.${column}`)),
  )})), lower(${q})) > 0`

/** Newest first; `insertVersion` retains the last 100. */
export const listPolicyVersions = async (db: Db, org_id: string, policy_id: string) =>
  await db
    .selectFrom('mdm_policy_versions')
    .select(['version', 'created_at', 'created_by'])
    .where((eb) => eb.and({ org_id, policy_id }))
    .orderBy('version', 'desc')
    .execute()

export const findPolicyVersion = async (
  db: Db,
  org_id: string,
  policy_id: string,
  version: number,
) =>
  await db
    .selectFrom('mdm_policy_versions')
    .select(['version', 'created_at', 'created_by', 'policy_json'])
    .where((eb) => eb.and({ org_id, policy_id, version }))
    .executeTakeFirst()
