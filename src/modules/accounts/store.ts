/** SQL for organizations, users and memberships. */
import { sql } from 'kysely'
import type { Db } from '../../platform/postgres/db.ts'
import { endLinksOf } from './links.store.ts'
import type { Member } from './schema.ts'
import type { Plan, RequiredProvider, Role } from './tables.ts'

export type Organization = { id: string; name: string; plan: Plan; created_at: Date }
export type User = { id: string; email: string; password_hash: string }
/** The role of a user in an organization, with the plan and the cell of that organization. */
export type Membership = {
  org_id: string
  user_id: string
  role: Role
  plan: Plan
  cell: string
  /** Whether the organization requires a second factor, and whether the user has one. */
  requires_second_factor: boolean
  has_second_factor: boolean
  /** Whether the data is about to be in another cell, so that writes have to wait. */
  is_moving?: boolean
  /** The provider that sessions must come from, except those of one owner. */
  required_provider?: RequiredProvider | null
  is_break_glass?: boolean
}

/** An account as the command line names it. */
export type DescribedAccount = {
  id: string
  email: string
  is_proved: boolean
  organizations: { id: string; name: string }[]
}

const LISTED_MAX = 1000
const DESCRIBED_MAX = 20
const UNIQUE_VIOLATION = '23505'

/** @param organization.root_id absent when the operator creates it */
export async function insertOrganization(
  db: Db,
  organization: Organization & { root_id?: string; cell?: string },
): Promise<void> {
  await db.insertInto('organizations').values(organization).execute()
}

export async function findOrganization(db: Db, orgId: string): Promise<Organization | undefined> {
  return await db
    .selectFrom('organizations')
    .select(['id', 'name', 'plan', 'created_at'])
    .where('id', '=', orgId)
    .executeTakeFirst()
}

export type ListedOrganization = Organization & { members: number }

/**
 * Not scoped by organization: for the operator. Ids begin with the time, so the oldest come first.
 * @param after id of the last organization of the previous page
 */
export async function listAllOrganizations(
  db: Db,
  { after, limit }: { after?: string | undefined; limit: number },
): Promise<ListedOrganization[]> {
  const { rows } = await sql<ListedOrganization>`
    select id, name, plan, created_at,
      (select count(*) from memberships member where member.org_id = org.id) as members
    from organizations org
    where id > coalesce(${after ?? null}::uuid, '00000000-0000-0000-0000-000000000000')
    order by id limit ${limit}`.execute(db)
  return rows
}

export async function updateOrganization(
  tx: Db,
  orgId: string,
  change: { name: string } | { plan: Plan },
): Promise<void> {
  await tx.updateTable('organizations').set(change).where('id', '=', orgId).execute()
}

/**
 * Locks the organizations from which those of the owner descend, so that concurrent requests cannot
 * exceed the limit.
 * @returns the oldest one, undefined for a user who owns none, and the number of all organizations
 *   that descend from them, including themselves
 */
export async function lockOrigins(
  tx: Db,
  ownerId: string,
): Promise<{ root_id: string | undefined; organizations: number }> {
  const { rows } = await sql<{ id: string }>`
    select id from organizations where id in (
      select coalesce(o.root_id, o.id) from memberships m join organizations o on o.id = m.org_id
      where m.user_id = ${ownerId} and m.role = 'owner')
    order by id for no key update`.execute(tx)
  const roots = rows.map(({ id }) => id)
  if (roots.length === 0) return { root_id: undefined, organizations: 0 }
  const { organizations } = await tx
    .selectFrom('organizations')
    .select((row) => row.fn.countAll<number>().as('organizations'))
    .where((is) => is.or([is('id', 'in', roots), is('root_id', 'in', roots)]))
    .executeTakeFirstOrThrow()
  return { root_id: roots[0], organizations }
}

/** Serializes changes to the members of an organization. @returns false when it does not exist */
export async function lockOrganization(tx: Db, orgId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('organizations')
    .select('id')
    .where('id', '=', orgId)
    .forNoKeyUpdate()
    .executeTakeFirst()
  return row !== undefined
}

/** @returns false when another account has proved the e-mail, ignoring case, and this one claims to */
export async function insertUser(
  db: Db,
  user: User & { created_at: Date; email_proved_at: Date | null },
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('users')
    .values(user)
    .onConflict((conflict) =>
      conflict.expression(sql`lower(email)`).where('email_proved_at', 'is not', null).doNothing(),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

const users = (db: Db) => db.selectFrom('users').select(['id', 'email', 'password_hash'])

/** A sign-in can contain these about its account, in addition to the e-mail. */
export type AccountHints = {
  /** The account of a browser in which it has signed in before. */
  user_id?: string | undefined
  /** An organization that it is a member of. */
  org_id?: string | undefined
}

/**
 * The accounts that an e-mail may mean, ignoring case: those of the hints first, then the one that has
 * proved it, then the oldest. Accounts of strangers with the same e-mail come after the own one in any
 * browser that knows it, and under the address of its organization.
 */
export async function listAccountsOfEmail(
  db: Db,
  email: string,
  max: number,
  { user_id, org_id }: AccountHints = {},
): Promise<User[]> {
  const isMember = sql`exists (
    select from memberships where org_id = ${org_id ?? null}::uuid and user_id = users.id)`
  return await users(db)
    .where(hasEmail(email))
    .orderBy(sql`id is not distinct from ${user_id ?? null}::uuid`, 'desc')
    .orderBy(isMember, 'desc')
    .orderBy(sql`email_proved_at is not null`, 'desc')
    .orderBy('created_at')
    .orderBy('id')
    .limit(max)
    .execute()
}

/** @returns undefined when the user does not exist or has another e-mail */
export async function findUserWithEmail(
  db: Db,
  userId: string,
  email: string,
): Promise<User | undefined> {
  return await users(db).where('id', '=', userId).where(hasEmail(email)).executeTakeFirst()
}

/** The condition on users; PostgreSQL decides which spellings are the same. */
const hasEmail = (email: string) => sql<boolean>`lower(users.email) = lower(${email.trim()})`

/** The accounts with an e-mail, the one that has proved it first, with a part of their organizations. */
export async function describeAccountsOfEmail(
  db: Db,
  email: string,
  orgId: string | undefined,
): Promise<DescribedAccount[]> {
  const { rows } = await sql<DescribedAccount>`
    select users.id, users.email, users.email_proved_at is not null as is_proved,
      coalesce(json_agg(json_build_object('id', org.id, 'name', org.name)
        order by org.name) filter (where org.id is not null), '[]') as organizations
    from users
    left join memberships member on member.user_id = users.id
    left join organizations org on org.id = member.org_id
    where ${hasEmail(email)}
    group by users.id
    having ${orgId ?? null}::uuid is null or bool_or(member.org_id = ${orgId ?? null}::uuid)
    order by is_proved desc, users.created_at, users.id
    limit ${DESCRIBED_MAX}`.execute(db)
  return rows
}

/** Of concurrent calls for one e-mail, one succeeds. */
export async function markEmailProved(
  db: Db,
  userId: string,
  now: Date,
): Promise<'done' | 'not_found' | 'email_taken'> {
  try {
    const { numUpdatedRows } = await db
      .updateTable('users')
      .set((user) => ({ email_proved_at: user.fn.coalesce('email_proved_at', user.val(now)) }))
      .where('id', '=', userId)
      .executeTakeFirst()
    return numUpdatedRows === 1n ? 'done' : 'not_found'
  } catch (error) {
    if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) return 'email_taken'
    throw error
  }
}

export async function findUser(db: Db, userId: string): Promise<User | undefined> {
  return await users(db).where('id', '=', userId).executeTakeFirst()
}

/** Ends the links that were sent for the account, too. */
export async function updatePassword(
  db: Db,
  userId: string,
  passwordHash: string,
): Promise<boolean> {
  await endLinksOf(db, userId)
  const { numUpdatedRows } = await db
    .updateTable('users')
    .set({ password_hash: passwordHash })
    .where('id', '=', userId)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** @param table alias of a table with a `user_id` */
const hasSecondFactor = (table: string) => sql<boolean>`exists (
  select from user_second_factors factor
  where factor.user_id = ${sql.ref(`${table}.user_id`)} and factor.confirmed_at is not null
  union all select from user_passkeys passkey
  where passkey.user_id = ${sql.ref(`${table}.user_id`)})`

/** Condition on `memberships as member` and `organizations as org`. */
const IS_BREAK_GLASS = sql<boolean>`coalesce(
  org.break_glass_user_id = member.user_id and member.role = 'owner', false)`

export async function findMembership(
  db: Db,
  orgId: string,
  userId: string,
): Promise<Membership | undefined> {
  return await db
    .selectFrom('memberships as member')
    .innerJoin('organizations as org', 'org.id', 'member.org_id')
    .select(['member.org_id', 'member.user_id', 'member.role', 'org.plan', 'org.cell'])
    .select(['org.requires_second_factor', hasSecondFactor('member').as('has_second_factor')])
    .select(sql<boolean>`coalesce(org.paused_until > now(), false)`.as('is_moving'))
    .select('org.required_provider')
    .select(IS_BREAK_GLASS.as('is_break_glass'))
    .where('member.org_id', '=', orgId)
    .where('member.user_id', '=', userId)
    .executeTakeFirst()
}

export async function listMembers(db: Db, orgId: string): Promise<Member[]> {
  return await db
    .selectFrom('memberships as member')
    .innerJoin('users as user', 'user.id', 'member.user_id')
    .select(['member.user_id', 'user.email', 'member.role', 'member.created_at'])
    .select(hasSecondFactor('member').as('has_second_factor'))
    .where('member.org_id', '=', orgId)
    .orderBy('user.email')
    .limit(LISTED_MAX)
    .execute()
}

export type OrganizationOfUser = Organization & {
  role: Role
  requires_second_factor: boolean
} & Required<Pick<Membership, 'required_provider' | 'is_break_glass'>>

/** Not scoped by organization: lists all organizations of the user. */
export async function listOrganizationsOfUser(
  db: Db,
  userId: string,
): Promise<OrganizationOfUser[]> {
  return await db
    .selectFrom('memberships as member')
    .innerJoin('organizations as org', 'org.id', 'member.org_id')
    .select(['org.id', 'org.name', 'org.plan', 'org.created_at', 'member.role'])
    .select(['org.requires_second_factor', 'org.required_provider'])
    .select(IS_BREAK_GLASS.as('is_break_glass'))
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

/** @returns false when the user does not exist */
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

/** Locks the table, so that nodes that start on the same empty database wait for the first one. */
export async function hasNoOrganizations(tx: Db): Promise<boolean> {
  await sql`lock table organizations in share row exclusive mode`.execute(tx)
  const row = await tx.selectFrom('organizations').select('id').limit(1).executeTakeFirst()
  return row === undefined
}
