/** Memberships and roles. The last owner of an organization cannot be removed. */
import type { Clock } from '../../../platform/clock.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { insertAudit } from '../../audit/index.ts'
import { deleteInvitationByEmail, deleteInvitationsByInviter } from '../invitations/store.ts'
import type { Member } from '../schema.ts'
import {
  countOtherOwners,
  deleteMembership,
  findMembership,
  findUser,
  listMembers,
  lockOrganization,
  type Membership,
  upsertMembership,
} from '../store.ts'
import type { Role } from '../tables.ts'
import { mayChange } from './rules.ts'

export type MemberChange = 'done' | 'not_found' | 'last_owner' | 'forbidden'

export type Memberships = {
  /** Read from the database each time, so that a removed member loses access immediately. */
  membership(userId: string, orgId: string): Promise<Membership | undefined>
  listMembers(orgId: string): Promise<Member[]>
  /**
   * Adds the user or changes the role. A user given as `by` can only change existing members, as far
   * as their own role allows; without it, the command line acts.
   */
  setMember(orgId: string, userId: string, role: Role, by?: string): Promise<MemberChange>
  removeMember(orgId: string, userId: string, by?: string): Promise<MemberChange>
}

type Options = { db: Database; newId: NewId; clock: Clock }
/**
 * @property next undefined to remove the member
 * @property reason what the change follows from, for the audit log
 */
type ChangeRequest = {
  user_id: string
  next: Role | undefined
  by: string | undefined
  reason?: string
}

export function createMemberships(options: Options): Memberships {
  const { db } = options
  return {
    membership: async (userId, orgId) =>
      isUuid(userId) && isUuid(orgId) ? await findMembership(db, orgId, userId) : undefined,
    listMembers: async (orgId) => (isUuid(orgId) ? await listMembers(db, orgId) : []),
    setMember: async (orgId, user_id, role, by) =>
      await changeMember(options, orgId, { user_id, next: role, by }),
    removeMember: async (orgId, user_id, by) =>
      await changeMember(options, orgId, { user_id, next: undefined, by }),
  }
}

async function changeMember(
  options: Options,
  orgId: string,
  change: ChangeRequest,
): Promise<MemberChange> {
  if (!isUuid(orgId) || !isUuid(change.user_id)) return 'not_found'
  return await options.db
    .transaction()
    .execute(async (tx) => await changeMemberIn(tx, options, orgId, change))
}

/** For a change that is part of a larger transaction. */
export async function changeMemberIn(
  tx: Db,
  options: Pick<Options, 'clock' | 'newId'>,
  orgId: string,
  change: ChangeRequest,
): Promise<MemberChange> {
  const { user_id, next, by } = change
  if (!(await lockOrganization(tx, orgId))) return 'not_found'
  const before = (await findMembership(tx, orgId, user_id))?.role
  if (before === undefined && (next === undefined || by !== undefined)) return 'not_found'
  // Read under the lock, because the actor may have just lost the role of admin.
  if (before && by !== undefined && !(await isAllowed(tx, orgId, { ...change, before, by }))) {
    return 'forbidden'
  }
  if (before === next) return 'done'
  const losesOwner = before === 'owner' && next !== 'owner'
  if (losesOwner && (await countOtherOwners(tx, orgId, user_id)) === 0) return 'last_owner'
  return (await write(tx, options, orgId, { ...change, before })) ? 'done' : 'not_found'
}

async function isAllowed(
  tx: Db,
  orgId: string,
  { user_id, by, before, next }: ChangeRequest & { by: string; before: Role },
): Promise<boolean> {
  const actor = (await findMembership(tx, orgId, by))?.role
  return actor !== undefined && mayChange({ actor, before, next, is_self: by === user_id })
}

async function write(
  tx: Db,
  { clock, newId }: Pick<Options, 'clock' | 'newId'>,
  orgId: string,
  { user_id, before, next, by, reason }: ChangeRequest & { before: Role | undefined },
): Promise<boolean> {
  const now = clock.now()
  if (next === undefined) await deleteMembership(tx, orgId, user_id)
  else if (!(await upsertMembership(tx, orgId, { user_id, role: next, created_at: now }))) {
    return false
  }
  // Open invitations by this user must not grant roles that the user may no longer grant.
  if (next !== 'owner') await deleteInvitationsByInviter(tx, orgId, user_id, next === 'admin')
  const email = (await findUser(tx, user_id))?.email
  // An open invitation to the user would let a removed member in again.
  if (email !== undefined) await deleteInvitationByEmail(tx, orgId, email)
  await insertAudit(tx, orgId, {
    id: newId(now),
    at: now,
    actor_user_id: by ?? null,
    action: actionOf(before, next, by === user_id),
    target: email,
    details: {
      user_id,
      ...(before && { from: before }),
      ...(next && { to: next }),
      ...(reason !== undefined && { reason }),
    },
  })
  return true
}

function actionOf(before: Role | undefined, next: Role | undefined, isSelf: boolean): string {
  if (before === undefined) return 'member.added'
  if (next === undefined) return isSelf ? 'member.left' : 'member.removed'
  return 'member.role_changed'
}
