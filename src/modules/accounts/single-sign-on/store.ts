/** SQL for the providers of organizations, the people there, and sign-ins that are under way. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { deleteExpired } from '../expired.store.ts'
import type { AccountTables, RequiredProvider } from '../tables.ts'

export type ProviderRow = Selectable<AccountTables['sign_in_providers']>
export type Flow = Selectable<AccountTables['sign_in_flows']>
export type Identity = Pick<AccountTables['user_identities'], 'org_id' | 'issuer' | 'subject'>

const ROWS_PER_SWEEP = 10_000

export async function findProviderRow(db: Db, orgId: string): Promise<ProviderRow | undefined> {
  return await db
    .selectFrom('sign_in_providers')
    .selectAll()
    .where('org_id', '=', orgId)
    .executeTakeFirst()
}

export async function upsertProvider(
  tx: Db,
  row: Insertable<AccountTables['sign_in_providers']>,
): Promise<void> {
  await tx
    .insertInto('sign_in_providers')
    .values(row)
    .onConflict((conflict) => conflict.column('org_id').doUpdateSet(row))
    .execute()
}

/** @returns false when it was changed since */
export async function markTested(
  db: Db,
  { org_id, provider_at }: { org_id: string; provider_at: Date | null },
  now: Date,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sign_in_providers')
    .set({ tested_at: now })
    .where('org_id', '=', org_id)
    .where('updated_at', '=', provider_at)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** @returns false when there is none */
export async function deleteProvider(tx: Db, orgId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sign_in_providers')
    .where('org_id', '=', orgId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** Ends the sessions that the provider of the organization has started, also those of one user only. */
export async function deleteSessionsOfProvider(
  tx: Db,
  orgId: string,
  userId?: string,
): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('provider_org_id', '=', orgId)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? ''))
    .execute()
}

export type Requirement = {
  required_provider: RequiredProvider | null
  break_glass_user_id: string | null
}

export async function findRequirement(db: Db, orgId: string): Promise<Requirement | undefined> {
  return await db
    .selectFrom('organizations')
    .select(['required_provider', 'break_glass_user_id'])
    .where('id', '=', orgId)
    .executeTakeFirst()
}

export async function updateRequirement(
  tx: Db,
  orgId: string,
  requirement: Requirement,
): Promise<void> {
  await tx.updateTable('organizations').set(requirement).where('id', '=', orgId).execute()
}

/** Not scoped by organization: where the user may sign in without the provider that is required. */
export async function listBreakGlassOrganizations(db: Db, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('organizations')
    .select('id')
    .where('break_glass_user_id', '=', userId)
    .where('required_provider', 'is not', null)
    .execute()
  return rows.map(({ id }) => id)
}

export async function findOrgOfDomain(db: Db, domain: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('sign_in_domains')
    .select('org_id')
    .where('domain', '=', domain)
    .executeTakeFirst()
  return row?.org_id
}

export async function listDomains(db: Db, orgId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('sign_in_domains')
    .select('domain')
    .where('org_id', '=', orgId)
    .orderBy('domain')
    .execute()
  return rows.map(({ domain }) => domain)
}

/** @returns false when another organization has one of them */
export async function replaceDomains(
  tx: Db,
  orgId: string,
  domains: readonly string[],
): Promise<boolean> {
  await tx.deleteFrom('sign_in_domains').where('org_id', '=', orgId).execute()
  if (domains.length === 0) return true
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('sign_in_domains')
    .values(domains.map((domain) => ({ domain, org_id: orgId })))
    .onConflict((conflict) => conflict.column('domain').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === BigInt(domains.length)
}

/** @returns false when an organization has it */
export async function insertDomain(tx: Db, orgId: string, domain: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('sign_in_domains')
    .values({ domain, org_id: orgId })
    .onConflict((conflict) => conflict.column('domain').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

export async function deleteDomain(tx: Db, orgId: string, domain: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('sign_in_domains')
    .where('org_id', '=', orgId)
    .where('domain', '=', domain)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

export async function insertFlow(db: Db, flow: Flow): Promise<void> {
  await db.insertInto('sign_in_flows').values(flow).execute()
}

/** Deletes it, so that of several uses one finds it. @returns undefined when it is unknown or has expired */
export async function takeFlow(db: Db, tokenHash: Buffer, now: Date): Promise<Flow | undefined> {
  const flow = await db
    .deleteFrom('sign_in_flows')
    .where('token_hash', '=', tokenHash)
    .returningAll()
    .executeTakeFirst()
  return flow && flow.expires_at > now ? flow : undefined
}

/** Deletes a portion of the expired ones. @returns their number */
export async function sweepFlows(db: Db, now: Date): Promise<number> {
  const portion = { table: 'sign_in_flows', key: 'token_hash', rows_max: ROWS_PER_SWEEP } as const
  return await deleteExpired(db, portion, now)
}

export async function findIdentity(
  db: Db,
  { org_id, issuer, subject }: Identity,
): Promise<{ user_id: string } | undefined> {
  return await db
    .selectFrom('user_identities')
    .select('user_id')
    .where('org_id', org_id === null ? 'is' : '=', org_id)
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst()
}

export async function insertIdentity(
  tx: Db,
  identity: Insertable<AccountTables['user_identities']>,
): Promise<void> {
  await tx.insertInto('user_identities').values(identity).execute()
}

/** Serializes the first sign-ins of one person at the provider of the installation. */
export async function lockIdentities(tx: Db, issuer: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${`sign_in ${issuer}`}, 0))`.execute(tx)
}

/** @param orgId only a member of this organization */
export async function findProvedUser(
  db: Db,
  email: string,
  orgId: string | undefined,
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from users
    where lower(email) = lower(${email}) and email_proved_at is not null
      and (${orgId ?? null}::uuid is null or exists (
        select from memberships where org_id = ${orgId ?? null}::uuid and user_id = users.id))`.execute(
    db,
  )
  return rows[0]?.id
}

export async function markProviderProved(
  db: Db,
  { session_id, user_id }: { session_id: string; user_id: string },
  proof: { provider_at: Date; factor_at?: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('sessions')
    .set(proof)
    .where('id', '=', session_id)
    .where('user_id', '=', user_id)
    .where('provider_at', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function findSignOutUrl(db: Db, tokenHash: Buffer): Promise<string | null> {
  const row = await db
    .selectFrom('refresh_tokens as token')
    .innerJoin('sessions as session', 'session.id', 'token.session_id')
    .select('session.sign_out_url')
    .where('token.token_hash', '=', tokenHash)
    .executeTakeFirst()
  return row?.sign_out_url ?? null
}
