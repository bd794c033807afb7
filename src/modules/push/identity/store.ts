/** SQL of identity keys and of used assertions. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { PushTables } from '../tables.ts'

export type IdentityKeyRow = Omit<PushTables['push_identity_keys'], 'created_at'>

const SWEEP_ROWS_MAX = 5000
/** Margin for differing clocks: a use outlives its assertion on every node whose clock is off by less. */
const USE_MARGIN_MS = 3_600_000

/** Serializes the creation of keys until the end of the transaction. */
export async function lockIdentityKeys(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('push_identity_keys', 0))`.execute(tx)
}

/** @returns the newest key, or undefined when it is older than `days` */
export async function findSigningKey(db: Db, days: number): Promise<IdentityKeyRow | undefined> {
  const { rows } = await sql<IdentityKeyRow>`
    select id, private_key, public_key from push_identity_keys
    where created_at > now() - make_interval(days => ${days}::integer)
    order by created_at desc, id desc limit 1`.execute(db)
  return rows[0]
}

export async function findIdentityKey(db: Db, id: string) {
  const { rows } = await sql<Pick<IdentityKeyRow, 'public_key'>>`
    select public_key from push_identity_keys where id = ${id}`.execute(db)
  return rows[0]
}

export async function insertIdentityKey(db: Db, { id, private_key, public_key }: IdentityKeyRow) {
  await sql`
    insert into push_identity_keys (id, private_key, public_key, created_at)
    values (${id}::uuid, ${private_key}, ${JSON.stringify(public_key)}::jsonb, now())`.execute(db)
}

export type IdentityUse = Pick<PushTables['push_identity_uses'], 'jti' | 'expires_at'>

/**
 * Binds an assertion to the first subscription that presents it (OP-96). A concurrent use by another
 * subscription waits for this transaction.
 * @returns whether the assertion is bound to this subscription
 */
export async function useAssertion(
  tx: Db,
  orgId: string,
  subscriptionId: string,
  { jti, expires_at }: IdentityUse,
): Promise<boolean> {
  // Without a named key, because the table has a second unique index until the previous version is gone.
  const { rows } = await sql<{ subscription_id: string }>`
    insert into push_identity_uses (org_id, jti, subscription_id, expires_at)
    values (${orgId}::uuid, ${jti}::uuid, ${subscriptionId}::uuid, ${expires_at})
    on conflict do nothing returning subscription_id`.execute(tx)
  if (rows.length > 0) return true
  const used = await sql<{ subscription_id: string }>`
    select subscription_id from push_identity_uses
    where org_id = ${orgId} and jti = ${jti}`.execute(tx)
  return used.rows[0]?.subscription_id === subscriptionId
}

/**
 * Deletes uses of expired assertions, which are invalid anyway. Deletes by `ctid`, because the planner
 * would read the whole table to find the rows by key. @returns number of rows
 */
export async function sweepIdentityUses(db: Db, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from push_identity_uses where ctid = any (array(
      select ctid from push_identity_uses
      where expires_at < ${new Date(now.getTime() - USE_MARGIN_MS)}
      order by expires_at limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/**
 * @param before a day before keys of this age stopped signing, so that all their assertions have expired
 * @returns number of rows
 */
export async function sweepIdentityKeys(db: Db, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from push_identity_keys where created_at < ${before}`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
