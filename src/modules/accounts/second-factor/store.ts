/** SQL for the second factors of users and their recovery codes. */
import { type Selectable, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import type { AccountTables } from '../tables.ts'

export type SecondFactorRow = Selectable<AccountTables['user_second_factors']>

/** Locks the row, so that one of two concurrent uses of a code finds it unused. */
export async function lockSecondFactor(
  tx: Db,
  userId: string,
): Promise<SecondFactorRow | undefined> {
  return await tx
    .selectFrom('user_second_factors')
    .selectAll()
    .where('user_id', '=', userId)
    .forUpdate()
    .executeTakeFirst()
}

/** Replaces one that was not confirmed. @returns false when the user has a confirmed one */
export async function insertSecondFactor(
  db: Db,
  row: Pick<SecondFactorRow, 'user_id' | 'secret' | 'created_at'>,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    insert into user_second_factors (user_id, secret, created_at)
    values (${row.user_id}, ${row.secret}, ${row.created_at})
    on conflict (user_id) do update
      set secret = excluded.secret, created_at = excluded.created_at, last_step = 0, failures = 0,
        failures_since = null
      where user_second_factors.confirmed_at is null`.execute(db)
  return numAffectedRows === 1n
}

export async function updateSecondFactor(
  tx: Db,
  userId: string,
  change: Partial<Omit<SecondFactorRow, 'user_id'>>,
): Promise<void> {
  await tx.updateTable('user_second_factors').set(change).where('user_id', '=', userId).execute()
}

/** @returns false when the user has none */
export async function deleteSecondFactor(tx: Db, userId: string): Promise<boolean> {
  await tx.deleteFrom('user_recovery_codes').where('user_id', '=', userId).execute()
  const { numDeletedRows } = await tx
    .deleteFrom('user_second_factors')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

export async function replaceRecoveryCodes(
  tx: Db,
  userId: string,
  hashes: readonly Buffer[],
): Promise<void> {
  await tx.deleteFrom('user_recovery_codes').where('user_id', '=', userId).execute()
  const rows = hashes.map((code_hash) => ({ user_id: userId, code_hash }))
  await tx.insertInto('user_recovery_codes').values(rows).execute()
}

/** @returns false when the user has no such code */
export async function useRecoveryCode(tx: Db, userId: string, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('user_recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/** @property is_on whether there is an authenticator app */
export type SecondFactorState = { is_on: boolean; recovery_codes_left: number; passkeys: number }

export async function describeSecondFactor(db: Db, userId: string): Promise<SecondFactorState> {
  const { rows } = await sql<SecondFactorState>`
    select exists (select from user_second_factors
        where user_id = ${userId} and confirmed_at is not null) as is_on,
      (select count(*)::int from user_recovery_codes where user_id = ${userId})
        as recovery_codes_left,
      (select count(*)::int from user_passkeys where user_id = ${userId}) as passkeys`.execute(db)
  return rows[0] ?? { is_on: false, recovery_codes_left: 0, passkeys: 0 }
}

export async function hasSecondFactor(db: Db, userId: string): Promise<boolean> {
  const { is_on, passkeys } = await describeSecondFactor(db, userId)
  return is_on || passkeys > 0
}

/** @returns false when the user has none */
export async function deletePasskeysOf(tx: Db, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('user_passkeys')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
