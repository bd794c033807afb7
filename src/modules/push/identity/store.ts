/** SQL of identity keys and of the assertions that were used. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { PushTables } from '../../../platform/postgres/tables/push.ts'

export type IdentityKeyRow = Omit<PushTables['push_identity_keys'], 'created_at'>

const SWEEP_ROWS_MAX = 5000
/** Nodes whose clocks differ by less agree on whether an assertion has expired. */
const USES_KEPT_MS = 3_600_000

/** Held to the end of the transaction by whoever makes a key. */
export async function lockIdentityKeys(tx: Db): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('push_identity_keys', 0))`.execute(tx)
}

/** @returns undefined when the newest is older than `days`, or there is none */
export async function findSigningKey(db: Db, days: number): Promise<IdentityKeyRow | undefined> {
  const { rows } = await sql<IdentityKeyRow>`
    select id, private_key, public_key from push_identity_keys
    where created_at > now() - make_interval(days => ${days}::integer)
    order by created_at desc, id desc limit 1`.execute(db)
  return rows[0]
}

export async function findIdentityKey(
  db: Db,
  id: string,
): Promise<Pick<IdentityKeyRow, 'public_key'> | undefined> {
  const { rows } = await sql<Pick<IdentityKeyRow, 'public_key'>>`
    select public_key from push_identity_keys where id = ${id}`.execute(db)
  return rows[0]
}

export async function insertIdentityKey(
  db: Db,
  { id, private_key, public_key }: IdentityKeyRow,
): Promise<void> {
  await sql`
    insert into push_identity_keys (id, private_key, public_key, created_at)
    values (${id}::uuid, ${private_key}, ${JSON.stringify(public_key)}::jsonb, now())`.execute(db)
}

export type IdentityUse = Pick<PushTables['push_identity_uses'], 'jti' | 'expires_at'>

/**
 * Of two subscriptions that show one assertion at the same time, one waits for the other's transaction.
 * @returns whether it is this subscription that has it
 */
export async function useAssertion(
  tx: Db,
  subscriptionId: string,
  { jti, expires_at }: IdentityUse,
): Promise<boolean> {
  // Changes nothing where there is one, and answers whose it is.
  const { rows } = await sql<{ subscription_id: string }>`
    insert into push_identity_uses as used (jti, subscription_id, expires_at)
    values (${jti}::uuid, ${subscriptionId}::uuid, ${expires_at})
    on conflict (jti) do update set jti = used.jti
    returning subscription_id`.execute(tx)
  return rows[0]?.subscription_id === subscriptionId
}

/**
 * What has expired proves nothing any more, used or not. By the places of the rows: by their keys, the
 * whole table is read to find them. @returns number of rows
 */
export async function sweepIdentityUses(db: Db, now: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from push_identity_uses where ctid = any (array(
      select ctid from push_identity_uses
      where expires_at < ${new Date(now.getTime() - USES_KEPT_MS)}
      order by expires_at limit ${sql.lit(SWEEP_ROWS_MAX)}))`.execute(db)
  return Number(numAffectedRows ?? 0n)
}

/**
 * @param before a day before the age at which a key signs no more: what it signed has expired
 * @returns number of rows
 */
export async function sweepIdentityKeys(db: Db, before: Date): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from push_identity_keys where created_at < ${before}`.execute(db)
  return Number(numAffectedRows ?? 0n)
}
