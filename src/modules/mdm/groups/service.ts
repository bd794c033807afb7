/** Groups of devices. A device is in one at most, and has the policy of its group if that has one. */
import type { Clock } from '../../../platform/clock.ts'
import { invalidRequest } from '../../../platform/http/errors.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import { retryConflicts } from '../../../platform/postgres/conflicts.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { type AuditAction, auditEntry } from '../audit/entry.ts'
import { insertAuditEntries, userActor } from '../audit/store.ts'
import type { GroupCommand } from '../commands/schema.ts'
import type { PolicyRow } from '../policies/record.ts'
import { sharePolicy } from '../policies/store.ts'
import { assignDevices } from './members/assign.ts'
import { moveMembers } from './members/follow.ts'
import { hasMemberOfOtherMode } from './members/store.ts'
import type { CreateGroup, Group, UpdateGroup } from './schema.ts'
import {
  type CountedGroup,
  deleteGroup,
  findGroup,
  type GroupRow,
  insertGroup,
  listGroups,
  lockGroup,
  lockGroups,
  updateGroup,
} from './store.ts'

/** The last command of each group, as far as there is one. */
export type ProgressOf = (
  db: Db,
  orgId: string,
  groupIds: readonly string[],
) => Promise<Map<string, GroupCommand>>

export type GroupDependencies = {
  db: Database
  newId: NewId
  clock: Clock
  progressOf: ProgressOf
  /** Groups that an organisation may have. */
  mdm_groups_max: number
  /** Something waits to be brought to the provider. */
  hint: () => void
}

/** Everything that is not the organisation's does not exist: undefined. */
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
  /** Its devices have the policies that they enrolled with again. @returns whether it was there */
  remove(userId: string, orgId: string, id: string): Promise<boolean>
  /** @throws AppError 400 naming `device_ids.N`; then none is assigned */
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

  /** As it is after the commit, when another request may have deleted it. */
  const find = async (orgId: string, id: string): Promise<Group | undefined> => {
    const row = await findGroup(db, orgId, id)
    return row && shownGroup(row, await progressOf(db, orgId, [id]))
  }

  return {
    list: async (orgId) => {
      const rows = await listGroups(db, orgId)
      const ids = rows.map(({ id }) => id)
      const commands = await progressOf(db, orgId, ids)
      return rows.map((row) => shownGroup(row, commands))
    },
    create: async (userId, orgId, request) => {
      const made = await inTransaction(
        async (tx) => await storeNew(deps, tx, orgId, request, userId),
      )
      return shownGroup({ ...made, device_count: 0 }, new Map())
    },
    update: async (userId, orgId, id, request) => {
      if (!isUuid(id)) return undefined
      const row = await inTransaction(
        async (tx) => await storeChange(deps, tx, { orgId, id, request, userId }),
      )
      return row && (await find(orgId, id))
    },
    remove: async (userId, orgId, id) =>
      isUuid(id) &&
      (await inTransaction(async (tx) => await storeEnd(deps, tx, orgId, id, userId))),
    assign: async (userId, orgId, id, device_ids) => {
      if (!isUuid(id)) return undefined
      const assignment = { org_id: orgId, group_id: id, device_ids, now: clock.now() }
      const actor = userActor(userId)
      const isDone = await inTransaction(
        async (tx) => await assignDevices(newId, tx, { ...assignment, actor }),
      )
      return isDone ? await find(orgId, id) : undefined
    },
  }
}

async function storeNew(
  deps: GroupDependencies,
  tx: Db,
  org_id: string,
  request: CreateGroup,
  userId: string,
): Promise<GroupRow> {
  const now = deps.clock.now()
  await lockGroups(tx, org_id)
  const policy = await findPolicyToGive(tx, org_id, request.policy_id ?? null)
  if (policy === undefined) throw noSuchPolicy()
  const given = { name: request.name, policy_id: policy?.id ?? null }
  const row = { org_id, id: deps.newId(now), ...given, created_at: now, updated_at: now }
  if (!(await insertGroup(tx, row, deps.mdm_groups_max))) {
    const message = `org_id has ${deps.mdm_groups_max} groups, which is the most there can be`
    throw invalidRequest('org_id', message)
  }
  await write(deps, tx, row, { action: 'group.created', userId, after: given })
  return row
}

type Change = { orgId: string; id: string; request: UpdateGroup; userId: string }

/** Locks the policy, then the group, then devices; so do all who need several of them. */
async function storeChange(
  deps: GroupDependencies,
  tx: Db,
  { orgId, id, request, userId }: Change,
): Promise<GroupRow | undefined> {
  const { policy_id } = request
  const policy = await findPolicyToGive(tx, orgId, policy_id ?? null)
  const row = await lockGroup(tx, orgId, id)
  if (!row) return undefined
  if (policy === undefined) throw noSuchPolicy()
  const now = deps.clock.now()
  const wanted = {
    name: request.name ?? row.name,
    policy_id: policy_id === undefined ? row.policy_id : (policy?.id ?? null),
  }
  const changed = MEMBERS.filter((member) => wanted[member] !== row[member])
  if (changed.length === 0) return row
  const next = { ...row, ...wanted, updated_at: now }
  await updateGroup(tx, next)
  await write(deps, tx, next, {
    action: 'group.updated',
    userId,
    before: Object.fromEntries(changed.map((member) => [member, row[member]])),
    after: Object.fromEntries(changed.map((member) => [member, wanted[member]])),
  })
  if (!changed.includes('policy_id')) return next
  if (policy && (await hasMemberOfOtherMode(tx, orgId, id, policy.management_mode))) {
    throw notOfThatMode(policy)
  }
  const following = { org_id: orgId, group_id: id, policy, is_group_gone: false, now }
  await moveMembers(deps.newId, tx, following, userActor(userId))
  return next
}

const MEMBERS = ['name', 'policy_id'] as const

async function storeEnd(
  deps: GroupDependencies,
  tx: Db,
  orgId: string,
  id: string,
  userId: string,
): Promise<boolean> {
  const row = await lockGroup(tx, orgId, id)
  if (!row) return false
  const { name, policy_id } = row
  const now = deps.clock.now()
  await deleteGroup(tx, orgId, id)
  const following = { org_id: orgId, group_id: id, policy: null, is_group_gone: true, now }
  const device_count = await moveMembers(deps.newId, tx, following, userActor(userId))
  const before = { name, policy_id, device_count }
  await write(deps, tx, { ...row, updated_at: now }, { action: 'group.deleted', userId, before })
  return true
}

type Deed = {
  action: AuditAction
  userId: string
  before?: Record<string, unknown>
  after?: Record<string, unknown>
}

async function write(
  { newId }: GroupDependencies,
  tx: Db,
  { org_id, id, updated_at }: GroupRow,
  { userId, ...deed }: Deed,
): Promise<void> {
  const actor = userActor(userId)
  const entry = auditEntry(newId, updated_at, {
    org_id,
    actor,
    target: { type: 'group', id },
    ...deed,
  })
  await insertAuditEntries(tx, [entry])
}

/** @returns null when none is wanted, undefined when there is no such policy */
async function findPolicyToGive(
  tx: Db,
  orgId: string,
  policyId: string | null,
): Promise<PolicyRow | null | undefined> {
  if (policyId === null) return null
  return isUuid(policyId) ? await sharePolicy(tx, orgId, policyId) : undefined
}

const noSuchPolicy = () =>
  invalidRequest('policy_id', 'policy_id is of no policy of this organisation')

const notOfThatMode = ({ management_mode }: PolicyRow) =>
  invalidRequest(
    'policy_id',
    `policy_id is of a policy for ${management_mode}, and a device of the group is managed otherwise`,
  )

function shownGroup(
  { id, name, policy_id, device_count, created_at, updated_at }: CountedGroup,
  commands: ReadonlyMap<string, GroupCommand>,
): Group {
  return {
    id,
    name,
    policy_id,
    device_count,
    last_command: commands.get(id) ?? null,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}
