/** SQL of the groups. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { MdmTables } from '../../../platform/postgres/tables/mdm.ts'

export type GroupRow = MdmTables['mdm_groups']
export type CountedGroup = GroupRow & { device_count: number }

const COUNTS = sql`
  select group_id, sum(devices)::bigint as devices from mdm_device_counts`

/** Newest first. */
export async function listGroups(db: Db, orgId: string): Promise<CountedGroup[]> {
  const { rows } = await sql<CountedGroup>`
    select g.*, coalesce(c.devices, 0)::bigint as device_count
    from mdm_groups g left join (
      ${COUNTS} where org_id = ${orgId} and state <> 'deleted' group by group_id
    ) c on c.group_id = g.id
    where g.org_id = ${orgId} order by g.id desc`.execute(db)
  return rows
}

export async function findGroup(
  db: Db,
  orgId: string,
  id: string,
): Promise<CountedGroup | undefined> {
  const { rows } = await sql<CountedGroup>`
    select g.*, coalesce(c.devices, 0)::bigint as device_count
    from mdm_groups g left join (
      ${COUNTS} where org_id = ${orgId} and group_id = ${id} and state <> 'deleted' group by group_id
    ) c on c.group_id = g.id
    where g.org_id = ${orgId} and g.id = ${id}`.execute(db)
  return rows[0]
}

/** For whoever puts devices into it: until the end of the transaction it is there as it is. */
export async function shareGroup(tx: Db, orgId: string, id: string): Promise<GroupRow | undefined> {
  const { rows } = await sql<GroupRow>`
    select * from mdm_groups where org_id = ${orgId} and id = ${id} for share`.execute(tx)
  return rows[0]
}

/** For whoever changes or deletes it. Nothing can be put into it until the end of the transaction. */
export async function lockGroup(tx: Db, orgId: string, id: string): Promise<GroupRow | undefined> {
  const { rows } = await sql<GroupRow>`
    select * from mdm_groups where org_id = ${orgId} and id = ${id} for update`.execute(tx)
  return rows[0]
}

/**
 * For whoever makes a group, before anything else is locked: nobody else does until the end of the
 * transaction, so that the limit holds.
 */
export async function lockGroups(tx: Db, orgId: string): Promise<void> {
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${`mdm_groups:${orgId}`}, 0))`.execute(tx)
}

/** @returns false when the organisation has as many as it may have */
export async function insertGroup(tx: Db, row: GroupRow, groupsMax: number): Promise<boolean> {
  const { org_id, id, name, policy_id, created_at, updated_at } = row
  const { numAffectedRows } = await sql`
    insert into mdm_groups (org_id, id, name, policy_id, created_at, updated_at)
    select ${org_id}::uuid, ${id}::uuid, ${name}, ${policy_id}::uuid,
      ${created_at}::timestamptz, ${updated_at}::timestamptz
    where (select count(*) from mdm_groups where org_id = ${org_id}) < ${groupsMax}::integer`.execute(
    tx,
  )
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
