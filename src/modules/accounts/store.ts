/** SQL of organisations, users and memberships. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import type { Plan, Role } from '../../platform/postgres/tables/accounts.ts'
import type { Member } from './schema.ts'

export type Organization = { id: string; name: string; plan: Plan; created_at: Date }
export type User = { id: string; email: string; password_hash: string }
/** What a user is in an organisation, and which plan that organisation has. */
export type Membership = { org_id: string; user_id: string; role: Role; plan: Plan }

const LISTED_MAX = 1000

export async function insertOrganization(db: Db, organization: Organization): Promise<void> {
  await db.insertInto('organizations').values(organization).execute()
}

export async function findOrganization(db: Db, orgId: string): Promise<Organization | undefined> {
  return await db.selectFrom('organizations').selectAll().where('id', '=', orgId).executeTakeFirst()
}

export async function updateOrganization(
  tx: Db,
  orgId: string,
  change: { name: string } | { plan: Plan },
): Promise<void> {
  await tx.updateTable('organizations').set(change).where('id', '=', orgId).execute()
}

/** Makes those take turns who change the members of one organisation. */
export async function lockOrganization(tx: Db, orgId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', orgId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** @returns false when the e-mail is taken, in whatever case it is written */
export async function insertUser(db: Db, user: User & { created_at: Date }): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) => conflict.expression(sql`lower(email)`).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function findUserByEmail(db: Db, email: string): Promise<User | undefined> {
  return await db
    .selectFrom('users')
    .select(['id', 'email', 'password_hash'])
    .where(sql`lower(email)`, '=', sql`lower(${email.trim()})`)
    .executeTakeFirst()
}

export async function findUser(db: Db, userId: string): Promise<User | undefined> {
  return await db
    .selectFrom('users')
    .select(['id', 'email', 'password_hash'])
    .where('id', '=', userId)
    .executeTakeFirst()
}

export async function updatePassword(
  db: Db,
  userId: string,
  passwordHash: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ password_hash: passwordHash })
    .where('id', '=', userId)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function findMembership(
  db: Db,
  orgId: string,
  userId: string,
): Promise<Membership | undefined> {
  return await db
    .selectFrom('memberships as member')
    .innerJoin('organizations as org', 'org.id', 'member.org_id')
    .select(['member.org_id', 'member.user_id', 'member.role', 'org.plan'])
    .where('member.org_id', '=', orgId)
    .where('member.user_id', '=', userId)
    .executeTakeFirst()
}

export async function listMembers(db: Db, orgId: string): Promise<Member[]> {
  return await db
    .selectFrom('memberships as member')
    .innerJoin('users as user', 'user.id', 'member.user_id')
    .select(['member.user_id', 'user.email', 'member.role', 'member.created_at'])
    .where('member.org_id', '=', orgId)
    .orderBy('user.email')
    .limit(LISTED_MAX)
    .execute()
}

/** Unscoped by organisation: these are the organisations that the user may choose from. */
export async function listOrganizationsOfUser(
  db: Db,
  userId: string,
): Promise<(Organization & { role: Role })[]> {
  return await db
    .selectFrom('memberships as member')
    .innerJoin('organizations as org', 'org.id', 'member.org_id')
    .select(['org.id', 'org.name', 'org.plan', 'org.created_at', 'member.role'])
    .where('member.user_id', '=', userId)
    .orderBy('org.name')
    .orderBy('org.id')
    .limit(LISTED_MAX)
    .execute()
}

export async function countOtherOwners(db: Db, orgId: string, userId: string): Promise<number> {
  const { owners } = await db
    .selectFrom('memberships')
    .select((row) => row.fn.countAll<number>().as('owners'))
    .where('org_id', '=', orgId)
    .where('role', '=', 'owner')
    .where('user_id', '<>', userId)
    .executeTakeFirstOrThrow()
  return owners
}

/** @returns false when there is no such user */
export async function upsertMembership(
  db: Db,
  orgId: string,
  member: { user_id: string; role: Role; created_at: Date },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into memberships (org_id, user_id, role, created_at)
    select ${orgId}::uuid, id, ${member.role}, ${member.created_at}::timestamptz
    from users where id = ${member.user_id}
    on conflict (org_id, user_id) do update set role = excluded.role`.execute(db)
  return numAffectedRows === 1n
}

export async function deleteMembership(db: Db, orgId: string, userId: string): Promise<void> {
  await db
    .deleteFrom('memberships')
    .where('org_id', '=', orgId)
    .where('user_id', '=', userId)
    .execute()
}

/** Nodes that start on the same empty database wait here for the first of them. */
export async function isWithoutOrganizations(tx: Db): Promise<boolean> {
  await sql`lock table organizations in share row exclusive mode`.execute(tx)
  const row = await tx.selectFrom('organizations').select('id').limit(1).executeTakeFirst()
  return row === undefined
}
