/** SQL of the enterprises and of the sign-ups for them. */
import { sql } from 'kysely'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import type { MdmTables } from '../../../platform/postgres/tables/mdm.ts'

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
 * Until the end of the transaction, whether the organisation has an enterprise does not change. Who
 * makes policies shares this with others; who makes the enterprise is alone. So each policy is
 * published by the one or by the other.
 */
export async function findEnterpriseSteadily(
  tx: Db,
  orgId: string,
): Promise<EnterpriseRow | undefined> {
  await sql`select pg_advisory_xact_lock_shared(${lockOf(orgId)})`.execute(tx)
  return await findEnterprise(tx, orgId)
}

/** Alone: see `findEnterpriseSteadily`. */
export async function lockEnterprise(tx: Db, orgId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(${lockOf(orgId)})`.execute(tx)
}

/** However its id is written. */
const lockOf = (orgId: string) =>
  sql`hashtextextended(${`mdm_enterprise:${orgId.toLowerCase()}`}, 0)`

/**
 * Whoever changes many devices of an organisation holds the row of its enterprise, reports of devices
 * as well: they lock devices in other orders.
 */
export async function lockDeviceWriters(tx: Db, orgId: string): Promise<void> {
  await sql`
    select from mdm_enterprises where org_id = ${orgId} for no key update`.execute(tx)
}

/** The first listing of its devices is due at once. @returns false when there is one of either key */
export async function insertEnterprise(tx: Db, given: NewEnterprise): Promise<boolean> {
  const { org_id, name, project_id, display_name, created_at } = given
  const { numAffectedRows } = await sql`
    insert into mdm_enterprises (org_id, name, project_id, display_name, created_at, listing_due_at)
    values (${org_id}, ${name}, ${project_id}, ${display_name}, ${created_at}, now())
    on conflict do nothing`.execute(tx)
  return numAffectedRows === 1n
}

type SignupKey = { org_id: string; name: string }

/**
 * Writes down that a sign-up is begun, unless so many were since `since`.
 *
 * @returns when the oldest of those was begun that are in the way, undefined when it is written down
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

/** From now on it has the name that the provider gave it; one that was given before is there already. */
export async function nameSignup(tx: Db, key: SignupKey, name: string): Promise<void> {
  await sql`
    update mdm_signups set name = ${name}
    where org_id = ${key.org_id} and name = ${key.name} and not exists (
      select from mdm_signups where org_id = ${key.org_id} and name = ${name})`.execute(tx)
}

export async function deleteSignup(db: Db, { org_id, name }: SignupKey): Promise<void> {
  await sql`delete from mdm_signups where org_id = ${org_id} and name = ${name}`.execute(db)
}

/** `taken`: the lease is ours. `busy`: an enterprise of this organisation is being made. */
export type SignupLease = 'taken' | 'busy' | 'unknown'

/** All sign-ups of the organisation are locked: two of different names are one too many as well. */
export async function leaseSignup(
  tx: Db,
  orgId: string,
  name: string,
  leaseSeconds: number,
): Promise<SignupLease> {
  const { rows } = await sql<{ name: string; is_leased: boolean }>`
    select name, coalesce(leased_until > clock_timestamp(), false) as is_leased
    from mdm_signups where org_id = ${orgId} order by name for update`.execute(tx)
  if (!rows.some((row) => row.name === name)) return 'unknown'
  if (rows.some(({ is_leased }) => is_leased)) return 'busy'
  await sql`
    update mdm_signups
    set leased_until = clock_timestamp() + make_interval(secs => ${leaseSeconds}::float8)
    where org_id = ${orgId} and name = ${name}`.execute(tx)
  return 'taken'
}

export async function releaseSignup(db: Db, orgId: string, name: string): Promise<void> {
  await sql`
    update mdm_signups set leased_until = null
    where org_id = ${orgId} and name = ${name}`.execute(db)
}

/** They have served their purpose. */
export async function deleteSignups(tx: Db, orgId: string): Promise<void> {
  await sql`delete from mdm_signups where org_id = ${orgId}`.execute(tx)
}
