/** SQL for invitations. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { deleteExpired } from '../expired.store.ts'
import type { Invitation } from '../schema.ts'
import type { AccountTables } from '../tables.ts'

type Row = AccountTables['invitations']
export type NewInvitation = Omit<Row, 'org_id'>
export type OpenInvitation = Omit<Row, 'token_hash' | 'invited_by' | 'created_at'> & {
  organization: string
}

const ROWS_PER_SWEEP = 1000

/** Replaces an existing invitation of the address. */
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

/** Counts invitations of other addresses, because the one of this address would be replaced. */
export async function countOtherInvitations(tx: Db, orgId: string, email: string): Promise<number> {
  const { open } = await tx
    .selectFrom('invitations')
    .select((row) => row.fn.countAll<number>().as('open'))
    .where('org_id', '=', orgId)
    .where(sql`lower(email)`, '<>', sql`lower(${email})`)
    .executeTakeFirstOrThrow()
  return open
}

/** Newest first. */
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

/** Not scoped by organization, because the token identifies it. */
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
    .select('invitation.is_mailed')
    .where('invitation.token_hash', '=', tokenHash)
    .where('invitation.expires_at', '>', now)
    .executeTakeFirst()
}

/** @returns the deleted invitation */
export async function deleteInvitation(
  tx: Db,
  orgId: string,
  id: string,
): Promise<Pick<Row, 'email' | 'role'> | undefined> {
  return await tx
    .deleteFrom('invitations')
    .where('org_id', '=', orgId)
    .where('id', '=', id)
    .returning(['email', 'role'])
    .executeTakeFirst()
}

/** @param ownersOnly only deletes invitations for the role owner */
export async function deleteInvitationsByInviter(
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

/** Ignores the case of the address. */
export async function deleteInvitationByEmail(tx: Db, orgId: string, email: string): Promise<void> {
  await tx
    .deleteFrom('invitations')
    .where('org_id', '=', orgId)
    .where(sql`lower(email)`, '=', sql`lower(${email})`)
    .execute()
}

/** Whether a member of the organization has this address, ignoring case. */
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

/** @returns the number of deleted rows */
export async function sweepInvitations(db: Db, before: Date): Promise<number> {
  const portion = { table: 'invitations', key: 'id', rows_max: ROWS_PER_SWEEP } as const
  return await deleteExpired(db, portion, before)
}
