/** SQL for e-mail addresses that users want to have. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { deleteExpired } from '../expired.store.ts'
import type { AccountTables } from '../tables.ts'

type Row = AccountTables['email_changes']
export type Side = 'old' | 'new'
export type FoundChange = Pick<
  Row,
  'user_id' | 'email' | 'old_confirmed_at' | 'new_confirmed_at' | 'expires_at'
> & { former: string; side: Side }

const ROWS_PER_SWEEP = 1000

/** Replaces an earlier one of the user. */
export async function upsertChange(
  tx: Db,
  change: Omit<Row, 'old_confirmed_at' | 'new_confirmed_at'>,
): Promise<void> {
  const row = { ...change, old_confirmed_at: null, new_confirmed_at: null }
  await tx
    .insertInto('email_changes')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row))
    .execute()
}

export async function findChangeOf(db: Db, userId: string, now: Date): Promise<Row | undefined> {
  return await db
    .selectFrom('email_changes')
    .selectAll()
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** @param lock for a change of the row */
export async function findChange(
  db: Db,
  tokenHash: Buffer,
  now: Date,
  lock = false,
): Promise<FoundChange | undefined> {
  const { rows } = await sql<FoundChange>`
    select c.user_id, c.email, c.old_confirmed_at, c.new_confirmed_at, c.expires_at, u.email as former,
      case when c.old_token_hash = ${tokenHash} then 'old' else 'new' end as side
    from email_changes c join users u on u.id = c.user_id
    where (c.old_token_hash = ${tokenHash} or c.new_token_hash = ${tokenHash})
      and c.expires_at > ${now}
    ${lock ? sql`for update` : sql``}`.execute(db)
  return rows[0]
}

export async function markConfirmed(tx: Db, userId: string, side: Side, now: Date): Promise<void> {
  await tx
    .updateTable('email_changes')
    .set(side === 'old' ? { old_confirmed_at: now } : { new_confirmed_at: now })
    .where('user_id', '=', userId)
    .execute()
}

/** @returns false when the user has none */
export async function deleteChange(tx: Db, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('email_changes')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** @returns false when another account has proved the address */
export async function updateEmail(
  tx: Db,
  userId: string,
  email: string,
  now: Date,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update users set email = ${email}, email_proved_at = ${now}
    where id = ${userId} and not exists (
      select from users other where lower(other.email) = lower(${email})
        and other.email_proved_at is not null and other.id <> ${userId})`.execute(tx)
  return numAffectedRows === 1n
}

/** @returns the number of deleted rows */
export async function sweepEmailChanges(db: Db, now: Date): Promise<number> {
  const portion = { table: 'email_changes', key: 'user_id', rows_max: ROWS_PER_SWEEP } as const
  return await deleteExpired(db, portion, now)
}
