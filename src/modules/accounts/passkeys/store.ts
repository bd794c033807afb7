/** SQL for the passkeys of users and the challenges that were sent to browsers. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { deleteExpired } from '../expired.store.ts'
import type { AccountTables } from '../tables.ts'

export type PasskeyRow = Selectable<AccountTables['user_passkeys']>

const ROWS_PER_SWEEP = 10_000

/** Serializes additions, so that the limit holds. */
export async function lockPasskeysOf(tx: Db, userId: string): Promise<number> {
  await tx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().execute()
  return (await listPasskeys(tx, userId)).length
}

export async function listPasskeys(db: Db, userId: string): Promise<PasskeyRow[]> {
  return await db
    .selectFrom('user_passkeys')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
}

export async function findPasskey(db: Db, id: string): Promise<PasskeyRow | undefined> {
  return await db.selectFrom('user_passkeys').selectAll().where('id', '=', id).executeTakeFirst()
}

/** @returns false when another one has this id */
export async function insertPasskey(
  tx: Db,
  row: Insertable<AccountTables['user_passkeys']>,
): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('user_passkeys')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** @returns false when the user has no such passkey */
export async function renamePasskey(
  db: Db,
  userId: string,
  id: string,
  name: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('user_passkeys')
    .set({ name })
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export async function markPasskeyUsed(
  db: Db,
  id: string,
  use: { counter: number; last_used_at: Date },
): Promise<void> {
  await db.updateTable('user_passkeys').set(use).where('id', '=', id).execute()
}

/** @returns false when the user has no such passkey */
export async function deletePasskey(tx: Db, userId: string, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('user_passkeys')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

export async function insertChallenge(
  db: Db,
  row: Insertable<AccountTables['passkey_challenges']>,
): Promise<void> {
  await db.insertInto('passkey_challenges').values(row).execute()
}

/** @returns whether the challenge was sent to this user and is still valid; it is used up */
export async function useChallenge(
  db: Db,
  challenge: string,
  userId: string | null,
  now: Date,
): Promise<boolean> {
  const { rows } = await sql`
    delete from passkey_challenges where challenge = ${challenge}
      and user_id is not distinct from ${userId}::uuid and expires_at > ${now}
    returning challenge`.execute(db)
  return rows.length === 1
}

/** Deletes a portion of the expired challenges. @returns their number */
export async function sweepChallenges(db: Db, now: Date): Promise<number> {
  const portion = {
    table: 'passkey_challenges',
    key: 'challenge',
    rows_max: ROWS_PER_SWEEP,
  } as const
  return await deleteExpired(db, portion, now)
}
