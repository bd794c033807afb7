/** SQL of the device groups. */
import { sql } from 'kysely'
import { counted } from '../../../platform/postgres/counted.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { MdmTables } from '../tables.ts'

export type GroupRow = MdmTables['mdm_groups']
export type CountedGroup = GroupRow & { device_count: number }

/**
 * Newest first.
 *
 * @param id limits the list to one group
 */
export async function listGroups(db: Db, orgId: string, id?: string): Promise<CountedGroup[]> {
  const { rows } = await sql<CountedGroup>`
    select g.*, coalesce(c.devices, 0)::bigint as device_count
    from mdm_groups g left join (
      select group_id, sum(devices)::bigint as devices from mdm_device_counts
      where org_id = ${orgId} and state <> 'deleted' ${id ? sql`and group_id = ${id}` : sql``}
      group by group_id
    ) c on c.group_id = g.id
    where g.org_id = ${orgId} ${id ? sql`and g.id = ${id}` : sql``} order by g.id desc`.execute(db)
  return rows
}

/** For transactions that use the group: it cannot be changed or deleted until they end. */
export async function shareGroup(tx: Db, orgId: string, id: string): Promise<GroupRow | undefined> {
  const { rows } = await sql<GroupRow>`
    select * from mdm_groups where org_id = ${orgId} and id = ${id} for share`.execute(tx)
  return rows[0]
}

/** For transactions that change or delete the group: no device can be added until they end. */
export async function lockGroup(tx: Db, orgId: string, id: string): Promise<GroupRow | undefined> {
  const { rows } = await sql<GroupRow>`
    select * from mdm_groups where org_id = ${orgId} and id = ${id} for update`.execute(tx)
  return rows[0]
}

/**
 * For transactions that create a group, which take this lock first: they run one at a time for an
 * organization, so that the limit holds.
 */
export async function lockGroups(tx: Db, orgId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${`mdm_groups:${orgId}`}, 0))`.execute(tx)
}

/** @returns false when the organization has reached its limit of groups */
export async function insertGroup(tx: Db, row: GroupRow, groupsMax: number): Promise<boolean> {
  const { org_id, id, name, policy_id, created_at, updated_at } = row
  const { numAffectedRows } = await sql`
    ${counted(sql`mdm_groups where org_id = ${org_id}`)}
    insert into mdm_groups (org_id, id, name, policy_id, created_at, updated_at)
    select ${org_id}::uuid, ${id}::uuid, ${name}, ${policy_id}::uuid,
      ${created_at}::timestamptz, ${updated_at}::timestamptz
    from counted where total < ${groupsMax}::integer`.execute(tx)
  return numAffectedRows === 1n
}

export async function updateGroup(tx: Db, row: GroupRow): Promise<void> {
  await sql`
    update mdm_groups set name = ${row.name}, policy_id = ${row.policy_id},
      updated_at = ${row.updated_at}
    where org_id = ${row.org_id} and id = ${row.id}`.execute(tx)
}

export async function deleteGroup(tx: Db, orgId: string, id: string): Promise<void> {
  await sql`delete from mdm_groups where org_id = ${orgId} and id = ${id}`.execute(tx)
}
