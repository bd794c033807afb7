/** Assigns devices to a group: all of them or, when one cannot be assigned, none. */
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Actor } from '../audit/entry.ts'
import { writeAudit } from '../audit/store.ts'
import { lockDeviceWriters } from '../enterprise/store.ts'
import { findPolicy } from '../policies/store.ts'
import type { ManagementMode } from '../tables.ts'
import { recordPolicies } from './member-moves.ts'
import { lockDevices, type MemberRow, moveDevices } from './members.store.ts'
import { type GroupRow, shareGroup } from './store.ts'

export type Assignment = {
  org_id: string
  group_id: string
  device_ids: readonly string[]
  actor: Actor
  now: Date
}

/**
 * @returns false when the organization does not have the group
 * @throws AppError 400 naming `device_ids.N`
 */
export async function assignDevices(
  newId: NewId,
  tx: Db,
  { org_id, group_id, device_ids, actor, now }: Assignment,
): Promise<boolean> {
  const group = await shareGroup(tx, org_id, group_id)
  if (!group) return false
  // The mode of a policy cannot change while a group refers to it.
  const policy = group.policy_id ? await findPolicy(tx, org_id, group.policy_id) : undefined
  await lockDeviceWriters(tx, org_id)
  const devices = await lockAssignable(tx, org_id, device_ids, policy?.management_mode)
  const moved = devices.filter((device) => isMoved(device, group))
  if (moved.length === 0) return true
  const ids = moved.map(({ id }) => id)
  await moveDevices(tx, org_id, ids, { group_id, policy_id: group.policy_id, now })
  await writeAudit(tx, newId, now, {
    org_id,
    action: 'group.devices_assigned',
    actor,
    target: { type: 'group', id: group_id },
    after: { device_ids: ids },
  })
  const moves = moved.map((device) => {
    return { id: device.id, before: device.policy_id, after: policyIn(group, device) }
  })
  await recordPolicies(newId, tx, { org_id, moves, actor, now })
  return true
}

const policyIn = (group: GroupRow, device: MemberRow): string | null =>
  group.policy_id ?? device.enrolled_policy_id

const isMoved = (device: MemberRow, group: GroupRow): boolean =>
  device.group_id !== group.id || device.policy_id !== policyIn(group, device)

/** Locks the devices, and returns each once. */
async function lockAssignable(
  tx: Db,
  orgId: string,
  deviceIds: readonly string[],
  mode: ManagementMode | undefined,
): Promise<MemberRow[]> {
  const ids = deviceIds.map((id) => id.toLowerCase())
  const rows = await lockDevices(tx, orgId, [...new Set(ids.filter(isUuid))])
  const found = new Map(rows.map((row) => [row.id, row]))
  for (const [index, id] of ids.entries()) {
    const refusal = refusalOf(found.get(id), mode)
    const field = `device_ids.${index}`
    if (refusal !== undefined) throw invalidRequest(field, `${field} ${refusal}`)
  }
  return rows
}

function refusalOf(device: MemberRow | undefined, mode: ManagementMode | undefined) {
  if (!device) return 'does not belong to this organization'
  if (device.state === 'deleted') return 'is a deleted device'
  if (device.deletion_requested_at) return 'is a device that is being deleted'
  if (mode !== undefined && device.management_mode !== mode) {
    return `is a ${device.management_mode} device, and the policy of the group is for ${mode} devices`
  }
  return undefined
}
