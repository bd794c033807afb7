/** Who is what in which organisation. An organisation that has an owner keeps one. */
import type { Clock } from '../../../platform/clock.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import type { Role } from '../../../platform/postgres/tables/accounts.ts'
import { insertAudit } from '../../audit/index.ts'
import { deleteInvitationOf, deleteInvitationsBy } from '../invitations/store.ts'
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
import { mayChange } from './rules.ts'

export type MemberChange = 'done' | 'not_found' | 'last_owner' | 'forbidden'

export type Memberships = {
  /** Read from the database each time, so that a removed member is out at once. */
  membership(userId: string, orgId: string): Promise<Membership | undefined>
  listMembers(orgId: string): Promise<Member[]>
  /**
   * Adds the user or changes the role. Somebody who is named as `by` changes members only, as far as
   * their own role allows; without, it is the command line.
   */
  setMember(orgId: string, userId: string, role: Role, by?: string): Promise<MemberChange>
  removeMember(orgId: string, userId: string, by?: string): Promise<MemberChange>
}

type Options = { db: Database; newId: NewId; clock: Clock }
/** @property next undefined to be no member any more */
type Asked = { user_id: string; next: Role | undefined; by: string | undefined }

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

async function changeMember(options: Options, orgId: string, asked: Asked): Promise<MemberChange> {
  const { user_id, next, by } = asked
  if (!isUuid(orgId) || !isUuid(user_id)) return 'not_found'
  return await options.db.transaction().execute(async (tx) => {
    if (!(await lockOrganization(tx, orgId))) return 'not_found'
    const before = (await findMembership(tx, orgId, user_id))?.role
    if (before === undefined && (next === undefined || by !== undefined)) return 'not_found'
    // Read under the lock: who was an admin a moment ago may be none any more.
    if (before && by !== undefined && !(await isAllowed(tx, orgId, { ...asked, before, by }))) {
      return 'forbidden'
    }
    if (before === next) return 'done'
    const stopsOwning = before === 'owner' && next !== 'owner'
    if (stopsOwning && (await countOtherOwners(tx, orgId, user_id)) === 0) return 'last_owner'
    return (await write(tx, options, orgId, { ...asked, before })) ? 'done' : 'not_found'
  })
}

async function isAllowed(
  tx: Db,
  orgId: string,
  { user_id, by, before, next }: Asked & { by: string; before: Role },
): Promise<boolean> {
  const actor = (await findMembership(tx, orgId, by))?.role
  return actor !== undefined && mayChange({ actor, before, next, is_self: by === user_id })
}

async function write(
  tx: Db,
  { clock, newId }: Options,
  orgId: string,
  { user_id, before, next, by }: Asked & { before: Role | undefined },
): Promise<boolean> {
  const now = clock.now()
  if (next === undefined) await deleteMembership(tx, orgId, user_id)
  else if (!(await upsertMembership(tx, orgId, { user_id, role: next, created_at: now }))) {
    return false
  }
  // What somebody may no longer give away, a link of theirs must not give away either.
  if (next !== 'owner') await deleteInvitationsBy(tx, orgId, user_id, next === 'admin')
  const email = (await findUser(tx, user_id))?.email
  // One that was still open would let in again whoever is removed.
  if (email !== undefined) await deleteInvitationOf(tx, orgId, email)
  await insertAudit(tx, orgId, {
    id: newId(now),
    at: now,
    actor_user_id: by ?? null,
    action: actionOf(before, next, by === user_id),
    target: email,
    details: { user_id, ...(before && { from: before }), ...(next && { to: next }) },
  })
  return true
}

function actionOf(before: Role | undefined, next: Role | undefined, isSelf: boolean): string {
  if (before === undefined) return 'member.added'
  if (next === undefined) return isSelf ? 'member.left' : 'member.removed'
  return 'member.role_changed'
}
