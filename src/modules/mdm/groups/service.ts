/** Groups of devices. A device is in at most one group, and has the policy of its group, if any. */
import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { type AuditFacts, userActor } from '../audit/entry.ts'
import { writeAudit } from '../audit/store.ts'
import type { progressOf } from '../commands/progress.ts'
import type { GroupCommand } from '../commands/schema.ts'
import type { PolicyRow } from '../policies/record.ts'
import { sharePolicy } from '../policies/store.ts'
import { assignDevices } from './assignment.ts'
import { applyGroupPolicy } from './member-moves.ts'
import { hasMemberOfOtherMode } from './members.store.ts'
import type { CreateGroup, Group, UpdateGroup } from './schema.ts'
import {
  type CountedGroup,
  deleteGroup,
  type GroupRow,
  insertGroup,
  listGroups,
  lockGroup,
  lockGroups,
  updateGroup,
} from './store.ts'

export type GroupDependencies = {
  db: Database
  newId: NewId
  clock: Clock
  progressOf: typeof progressOf
  /** Maximum number of groups per organization. */
  mdm_groups_max: number
  /** Notifies the dispatcher that something may be due. */
  hint: () => void
}

/** Methods return undefined or false for groups that the organization does not have. */
export type Groups = {
  /** Newest first. */
  list(orgId: string): Promise<Group[]>
  /** @throws AppError 400 naming `policy_id` or `org_id` */
  create(userId: string, orgId: string, request: CreateGroup): Promise<Group>
  /** @throws AppError 400 naming `policy_id` */
  update(
    userId: string,
    orgId: string,
    id: string,
    request: UpdateGroup,
  ): Promise<Group | undefined>
  /** Deletes the group; its devices return to the policies that they enrolled with. */
  remove(userId: string, orgId: string, id: string): Promise<boolean>
  /** @throws AppError 400 naming `device_ids.N`; no device is assigned then */
  assign(
    userId: string,
    orgId: string,
    id: string,
    deviceIds: readonly string[],
  ): Promise<Group | undefined>
}

export function createGroups(deps: GroupDependencies): Groups {
  const { db, newId, clock, progressOf, hint } = deps
  const inTransaction = async <T>(work: (tx: Db) => Promise<T>): Promise<T> => {
    const result = await retryConflicts(async () => await db.transaction().execute(work))
    hint()
    return result
  }

  /** Reads the group after the commit; another request may have deleted it by then. */
  const find = async (orgId: string, id: string): Promise<Group | undefined> => {
    const [row] = await listGroups(db, orgId, id)
    return row && toGroup(row, await progressOf(db, orgId, [id]))
  }

  return {
    list: async (orgId) => {
      const rows = await listGroups(db, orgId)
      const ids = rows.map(({ id }) => id)
      const commands = await progressOf(db, orgId, ids)
      return rows.map((row) => toGroup(row, commands))
    },
    create: async (userId, orgId, request) => {
      const created = await inTransaction((tx) => storeNew(deps, tx, { orgId, request, userId }))
      return toGroup({ ...created, device_count: 0 }, new Map())
    },
    update: async (userId, orgId, id, request) => {
      if (!isUuid(id)) return undefined
      const change = { orgId, id, request, userId }
      const row = await inTransaction((tx) => storeChange(deps, tx, change))
      return row && (await find(orgId, id))
    },
    remove: async (userId, orgId, id) =>
      isUuid(id) && (await inTransaction((tx) => storeDeletion(deps, tx, { orgId, id, userId }))),
    assign: async (userId, orgId, id, device_ids) => {
      if (!isUuid(id)) return undefined
      const by = { actor: userActor(userId), now: clock.now() }
      const assignment = { org_id: orgId, group_id: id, device_ids, ...by }
      const isAssigned = await inTransaction((tx) => assignDevices(newId, tx, assignment))
      return isAssigned ? await find(orgId, id) : undefined
    },
  }
}

async function storeNew(
  deps: GroupDependencies,
  tx: Db,
  { orgId: org_id, request, userId }: { orgId: string; request: CreateGroup; userId: string },
): Promise<GroupRow> {
  const now = deps.clock.now()
  await lockGroups(tx, org_id)
  const policy = await shareRequestedPolicy(tx, org_id, request.policy_id ?? null)
  if (policy === undefined) throw unknownPolicy()
  const values = { name: request.name, policy_id: policy?.id ?? null }
  const row = { org_id, id: deps.newId(now), ...values, created_at: now, updated_at: now }
  if (!(await insertGroup(tx, row, deps.mdm_groups_max))) {
    const message = `org_id has reached the limit of ${deps.mdm_groups_max} groups`
    throw invalidRequest('org_id', message)
  }
  await writeEntry(deps, tx, row, { action: 'group.created', userId, after: values })
  return row
}

type Change = { orgId: string; id: string; request: UpdateGroup; userId: string }

/** Locks the policy, the group and the devices in this order, like every other transaction. */
async function storeChange(
  deps: GroupDependencies,
  tx: Db,
  { orgId, id, request, userId }: Change,
): Promise<GroupRow | undefined> {
  const { policy_id } = request
  const policy = await shareRequestedPolicy(tx, orgId, policy_id ?? null)
  const row = await lockGroup(tx, orgId, id)
  if (!row) return undefined
  if (policy === undefined) throw unknownPolicy()
  const now = deps.clock.now()
  const wanted = {
    name: request.name ?? row.name,
    policy_id: policy_id === undefined ? row.policy_id : (policy?.id ?? null),
  }
  const changed = MEMBERS.filter((member) => wanted[member] !== row[member])
  if (changed.length === 0) return row
  const next = { ...row, ...wanted, updated_at: now }
  await updateGroup(tx, next)
  await writeEntry(deps, tx, next, {
    action: 'group.updated',
    userId,
    before: Object.fromEntries(changed.map((member) => [member, row[member]])),
    after: Object.fromEntries(changed.map((member) => [member, wanted[member]])),
  })
  if (!changed.includes('policy_id')) return next
  if (policy && (await hasMemberOfOtherMode(tx, orgId, id, policy.management_mode))) {
    throw otherMode(policy)
  }
  const change = { org_id: orgId, group_id: id, policy, is_group_deleted: false, now }
  await applyGroupPolicy(deps.newId, tx, change, userActor(userId))
  return next
}

const MEMBERS = ['name', 'policy_id'] as const

async function storeDeletion(
  deps: GroupDependencies,
  tx: Db,
  { orgId, id, userId }: Omit<Change, 'request'>,
): Promise<boolean> {
  const row = await lockGroup(tx, orgId, id)
  if (!row) return false
  const { name, policy_id } = row
  const now = deps.clock.now()
  await deleteGroup(tx, orgId, id)
  const change = { org_id: orgId, group_id: id, policy: null, is_group_deleted: true, now }
  const device_count = await applyGroupPolicy(deps.newId, tx, change, userActor(userId))
  const before = { name, policy_id, device_count }
  const deleted = { ...row, updated_at: now }
  await writeEntry(deps, tx, deleted, { action: 'group.deleted', userId, before })
  return true
}

async function writeEntry(
  { newId }: GroupDependencies,
  tx: Db,
  { org_id, id, updated_at }: GroupRow,
  { userId, ...facts }: Pick<AuditFacts, 'action' | 'before' | 'after'> & { userId: string },
): Promise<void> {
  const target = { type: 'group', id } as const
  await writeAudit(tx, newId, updated_at, { org_id, actor: userActor(userId), target, ...facts })
}

/** @returns null when no policy was requested, undefined when the organization does not have it */
async function shareRequestedPolicy(
  tx: Db,
  orgId: string,
  policyId: string | null,
): Promise<PolicyRow | null | undefined> {
  if (policyId === null) return null
  return isUuid(policyId) ? await sharePolicy(tx, orgId, policyId) : undefined
}

const unknownPolicy = () =>
  invalidRequest('policy_id', 'policy_id does not belong to this organization')

const otherMode = ({ management_mode }: PolicyRow) =>
  invalidRequest(
    'policy_id',
    `policy_id refers to a policy for ${management_mode} devices, and the group has devices of another mode`,
  )

function toGroup(
  { org_id: _org, created_at, updated_at, ...group }: CountedGroup,
  commands: ReadonlyMap<string, GroupCommand>,
): Group {
  return {
    ...group,
    last_command: commands.get(group.id) ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}
