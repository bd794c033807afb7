/** SQL of the devices in groups, which are locked in the order of their key. */
import { sql } from 'kysely'
import { uuidArray } from '../../../platform/postgres/arrays.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { ManagementMode, MdmTables } from '../tables.ts'

export type MemberRow = Pick<
  MdmTables['mdm_devices'],
  | 'id'
  | 'state'
  | 'management_mode'
  | 'group_id'
  | 'policy_id'
  | 'enrolled_policy_id'
  | 'deletion_requested_at'
>

export async function lockDevices(
  tx: Db,
  orgId: string,
  ids: readonly string[],
): Promise<MemberRow[]> {
  const { rows } = await sql<MemberRow>`
    select id, state, management_mode, group_id, policy_id, enrolled_policy_id,
      deletion_requested_at
    from mdm_devices where org_id = ${orgId} and id = any(${uuidArray(ids)}::uuid[])
    order by org_id, id for no key update`.execute(tx)
  return rows
}

export async function hasMemberOfOtherMode(
  tx: Db,
  orgId: string,
  groupId: string,
  mode: ManagementMode,
): Promise<boolean> {
  const { rows } = await sql<{ has_one: boolean }>`
    select exists (select from mdm_devices where org_id = ${orgId} and group_id = ${groupId}
      and state <> 'deleted' and management_mode <> ${mode}) as has_one`.execute(tx)
  return rows[0]?.has_one ?? false
}

/** The policy of the group or, if it has none, the policy that the device enrolled with. */
const policyBy = (groupPolicyId: string | null) =>
  sql`coalesce(${groupPolicyId}::uuid, d.enrolled_policy_id)`

/** Moves locked devices. The error of a previous policy is cleared, because it no longer matters. */
export async function moveDevices(
  tx: Db,
  orgId: string,
  ids: readonly string[],
  { group_id, policy_id, now }: { group_id: string; policy_id: string | null; now: Date },
): Promise<void> {
  await sql`
    update mdm_devices d set group_id = ${group_id}, policy_id = ${policyBy(policy_id)},
      policy_error = case when d.policy_id is distinct from ${policyBy(policy_id)}
        then null else d.policy_error end,
      updated_at = ${now}
    where org_id = ${orgId} and id = any(${uuidArray(ids)}::uuid[])`.execute(tx)
}

export type UpdatedMember = {
  id: string
  before: string | null
  after: string | null
  /** Whether the device is neither deleted nor being deleted. */
  is_live: boolean
}

export type GroupChange = {
  org_id: string
  group_id: string
  /** The new policy; null for none, and when the group is deleted. */
  policy: { id: string; management_mode: ManagementMode } | null
  is_group_deleted: boolean
  now: Date
}

/**
 * Gives the next members, in the order of their key, the new policy of the group. Deleted devices are
 * included, because they may come back; devices of another mode than the policy are not.
 *
 * @returns fewer than `limit` devices when there are no more, in any order
 */
export async function updateMembers(
  tx: Db,
  { org_id, group_id, policy, is_group_deleted, now }: GroupChange,
  { after, limit }: { after: string; limit: number },
): Promise<UpdatedMember[]> {
  const policyId = policy?.id ?? null
  const mode = policy?.management_mode ?? null
  const { rows } = await sql<UpdatedMember>`
    with chosen as (
      select id, policy_id from mdm_devices
      where org_id = ${org_id} and group_id = ${group_id} and id > ${after}
        and (${mode}::text is null or management_mode = ${mode})
      order by id limit ${limit}::integer for no key update
    )
    update mdm_devices d set
      group_id = case when ${is_group_deleted}::boolean then null else d.group_id end,
      policy_id = ${policyBy(policyId)},
      policy_error = case when d.policy_id is distinct from ${policyBy(policyId)}
        then null else d.policy_error end,
      updated_at = ${now}
    from chosen where d.org_id = ${org_id} and d.id = chosen.id
    returning d.id, chosen.policy_id as before, d.policy_id as after,
      d.state <> 'deleted' and d.deletion_requested_at is null as is_live`.execute(tx)
  return rows
}
