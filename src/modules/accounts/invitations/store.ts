/** SQL of the invitations. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { Role } from '../../../platform/postgres/tables/accounts.ts'
import type { Invitation } from '../schema.ts'

export type NewInvitation = {
  id: string
  email: string
  role: Role
  token_hash: Buffer
  invited_by: string
  expires_at: Date
  created_at: Date
}

export type OpenInvitation = {
  id: string
  org_id: string
  organization: string
  email: string
  role: Role
  expires_at: Date
}

const ROWS_PER_SWEEP = 1000

/** In place of one that the address has already. */
export async function upsertInvitation(
  tx: Db,
  orgId: string,
  invitation: NewInvitation,
): Promise<void> {
  await tx
    .insertInto('invitations')
    .values({ org_id: orgId, ...invitation })
    .onConflict((conflict) =>
      conflict.expression(sql`org_id, lower(email)`).doUpdateSet(invitation),
    )
    .execute()
}

/** Of other addresses: that of this one would be replaced. */
export async function countOtherInvitations(tx: Db, orgId: string, email: string): Promise<number> {
  const { open } = await tx
    .selectFrom('invitations')
    .select((row) => row.fn.countAll<number>().as('open'))
    .where('org_id', '=', orgId)
    .where(sql`lower(email)`, '<>', sql`lower(${email})`)
    .executeTakeFirstOrThrow()
  return open
}

/** Newest first. @param max there are no more */
export async function listInvitations(db: Db, orgId: string, max: number): Promise<Invitation[]> {
  const rows = await db
    .selectFrom('invitations as invitation')
    .leftJoin('users as inviter', 'inviter.id', 'invitation.invited_by')
    .select(['invitation.id', 'invitation.email', 'invitation.role'])
    .select(['invitation.expires_at', 'invitation.created_at', 'inviter.email as invited_by'])
    .where('invitation.org_id', '=', orgId)
    .orderBy('invitation.created_at', 'desc')
    .orderBy('invitation.id', 'desc')
    .limit(max)
    .execute()
  return rows.map((row) => ({
    ...row,
    expires_at: row.expires_at.toISOString(),
    created_at: row.created_at.toISOString(),
  }))
}

/** Unscoped by organisation, because the token is what says which one invites. */
export async function findOpenInvitation(
  db: Db,
  tokenHash: Buffer,
  now: Date,
): Promise<OpenInvitation | undefined> {
  return await db
    .selectFrom('invitations as invitation')
    .innerJoin('organizations as org', 'org.id', 'invitation.org_id')
    .select(['invitation.id', 'invitation.org_id', 'org.name as organization'])
    .select(['invitation.email', 'invitation.role', 'invitation.expires_at'])
    .where('invitation.token_hash', '=', tokenHash)
    .where('invitation.expires_at', '>', now)
    .executeTakeFirst()
}

/** @returns what was deleted */
export async function deleteInvitation(
  tx: Db,
  orgId: string,
  id: string,
): Promise<{ email: string; role: Role } | undefined> {
  return await tx
    .deleteFrom('invitations')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(['email', 'role'])
    .executeTakeFirst()
}

/** @param ownersOnly those by which somebody would become an owner */
export async function deleteInvitationsBy(
  tx: Db,
  orgId: string,
  userId: string,
  ownersOnly: boolean,
): Promise<void> {
  await tx
    .deleteFrom('invitations')
    .where('org_id', '=', orgId)
    .where('invited_by', '=', userId)
    .$if(ownersOnly, (query) => query.where('role', '=', 'owner'))
    .execute()
}

/** In whatever case the address is written. */
export async function deleteInvitationOf(tx: Db, orgId: string, email: string): Promise<void> {
  await tx
    .deleteFrom('invitations')
    .where('org_id', '=', orgId)
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .execute()
}

/** Whether a member of the organisation has this address, in whatever case it is written. */
export async function isMemberEmail(tx: Db, orgId: string, email: string): Promise<boolean> {
  const row = await tx
    .selectFrom('memberships as member')
    .innerJoin('users as user', 'user.id', 'member.user_id')
    .select('member.user_id')
    .where('member.org_id', '=', orgId)
    .where(sql`lower("user".email)`, '=', sql`lower(${email})`)
    .executeTakeFirst()
  return row !== undefined
}

/** @returns how many rows went */
export async function sweepInvitations(db: Db, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from invitations where id in (
      select id from invitations where expires_at <= ${before}
      limit ${ROWS_PER_SWEEP} for update skip locked)`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
