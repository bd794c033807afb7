/** SQL of enterprises and their sign-ups. */
import { sql } from 'kysely'
import { counted } from '../../../platform/postgres/counted.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import type { MdmTables } from '../tables.ts'

export type EnterpriseRow = MdmTables['mdm_enterprises']
export type NewEnterprise = Pick<
  EnterpriseRow,
  'org_id' | 'name' | 'project_id' | 'display_name' | 'created_at'
>

export async function findEnterprise(db: Db, orgId: string): Promise<EnterpriseRow | undefined> {
  const { rows } = await sql<EnterpriseRow>`
    select * from mdm_enterprises where org_id = ${orgId}`.execute(db)
  return rows[0]
}

/**
 * Finds the enterprise under a shared lock: until the transaction ends, none is created. So a new
 * policy is published either by the transaction that creates it or by the one that creates the
 * enterprise, which takes the lock exclusively.
 */
export async function findEnterpriseForShare(
  tx: Db,
  orgId: string,
): Promise<EnterpriseRow | undefined> {
  await sql`select pg_advisory_xact_lock_shared(${lockOf(orgId)})`.execute(tx)
  return await findEnterprise(tx, orgId)
}

/** The exclusive counterpart of `findEnterpriseForShare`. */
export async function lockEnterprise(tx: Db, orgId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockOf(orgId)})`.execute(tx)
}

/** Ids that differ in case only name the same organization. */
const lockOf = (orgId: string) =>
  sql`hashtextextended(${`mdm_enterprise:${orgId.toLowerCase()}`}, 0)`

/**
 * Every transaction that changes many devices of an organization holds the row of its enterprise,
 * because such transactions lock devices in different orders.
 */
export async function lockDeviceWriters(tx: Db, orgId: string): Promise<void> {
  await sql`
    select from mdm_enterprises where org_id = ${orgId} for no key update`.execute(tx)
}

/**
 * The first listing of its devices is due immediately. The lock on the name stands in for a unique key,
 * which would not begin with the organization.
 *
 * @returns false when the organization has an enterprise or the name is in use
 */
export async function insertEnterprise(tx: Db, enterprise: NewEnterprise): Promise<boolean> {
  const { org_id, name, project_id, display_name, created_at } = enterprise
  await sql`
    select pg_advisory_xact_lock(hashtextextended(${`mdm_enterprise_name:${name}`}, 0))`.execute(tx)
  const { numAffectedRows } = await sql`
    ${counted(sql`mdm_enterprises where name = ${name}::text`)}
    insert into mdm_enterprises (org_id, name, project_id, display_name, created_at, listing_due_at)
    select ${org_id}::uuid, ${name}::text, ${project_id}, ${display_name},
      ${created_at}::timestamptz, now()
    from counted where total = 0
    on conflict do nothing`.execute(tx)
  return numAffectedRows === 1n
}

type SignupKey = { org_id: string; name: string }

/**
 * Stores a new sign-up unless the organization has started `signups_max` since `since`.
 *
 * @returns the start of the oldest one that counts against the limit, undefined when it was stored
 */
export async function reserveSignup(
  db: Database,
  { org_id, name, created_at }: SignupKey & { created_at: Date },
  { since, signups_max }: { since: Date; signups_max: number },
): Promise<Date | undefined> {
  return await db.transaction().execute(async (tx) => {
    await sql`
      select pg_advisory_xact_lock(hashtextextended(${`mdm_signups:${org_id}`}, 0))`.execute(tx)
    const { rows } = await sql<{ created_at: Date }>`
      select created_at from mdm_signups where org_id = ${org_id} and created_at > ${since}
      order by created_at desc offset ${signups_max - 1} limit 1`.execute(tx)
    if (rows[0]) return rows[0].created_at
    await tx.insertInto('mdm_signups').values({ org_id, name, created_at }).execute()
    return undefined
  })
}

/** Gives a sign-up the provider's name, unless a sign-up with this name exists already. */
export async function nameSignup(tx: Db, key: SignupKey, name: string): Promise<void> {
  await sql`
    update mdm_signups set name = ${name}
    where org_id = ${key.org_id} and name = ${key.name} and not exists (
      select from mdm_signups where org_id = ${key.org_id} and name = ${name})`.execute(tx)
}

export async function deleteSignup(db: Db, { org_id, name }: SignupKey): Promise<void> {
  await sql`delete from mdm_signups where org_id = ${org_id} and name = ${name}`.execute(db)
}

/** `taken`: the lease is ours. `busy`: another request is creating an enterprise. */
export type SignupLease = 'taken' | 'busy' | 'unknown'

/** Locks all sign-ups of the organization, since two of different names must not run together. */
export async function leaseSignup(
  tx: Db,
  orgId: string,
  name: string,
  leaseSeconds: number,
): Promise<SignupLease> {
  const { rows } = await sql<{ name: string; is_leased: boolean }>`
    select name, coalesce(leased_until > statement_timestamp(), false) as is_leased
    from mdm_signups where org_id = ${orgId} order by name for update`.execute(tx)
  if (!rows.some((row) => row.name === name)) return 'unknown'
  if (rows.some(({ is_leased }) => is_leased)) return 'busy'
  await sql`
    update mdm_signups
    set leased_until = statement_timestamp() + make_interval(secs => ${leaseSeconds}::float8)
    where org_id = ${orgId} and name = ${name}`.execute(tx)
  return 'taken'
}

export async function releaseSignup(db: Db, orgId: string, name: string): Promise<void> {
  await sql`
    update mdm_signups set leased_until = null
    where org_id = ${orgId} and name = ${name}`.execute(db)
}

export async function deleteSignups(tx: Db, orgId: string): Promise<void> {
  await sql`delete from mdm_signups where org_id = ${orgId}`.execute(tx)
}
