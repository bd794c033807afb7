/** SQL for sessions that a provider ends. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { deleteExpired } from '../expired.store.ts'

const ROWS_PER_SWEEP = 10_000

/** @returns false when it was used before */
export async function useLogoutToken(tx: Db, tokenHash: Buffer, expiresAt: Date): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('sign_in_logout_tokens')
    .values({ token_hash: tokenHash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('token_hash').doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Deletes a portion of the expired ones. @returns their number */
export async function sweepLogoutTokens(db: Db, now: Date): Promise<number> {
  const table = 'sign_in_logout_tokens'
  return await deleteExpired(db, { table, key: 'token_hash', rows_max: ROWS_PER_SWEEP }, now)
}

type EndedByProvider = {
  /** Null for the provider of the installation. */
  org_id: string | null
  user_id: string | undefined
  sid_hash: Buffer | undefined
}

/**
 * With a person, sessions of which the provider did not name its session end, too: it may be the one.
 * @returns the users of the sessions that ended
 */
export async function deleteSessionsAtProvider(
  tx: Db,
  { org_id, user_id, sid_hash }: EndedByProvider,
): Promise<string[]> {
  const isSession =
    sid_hash === undefined
      ? sql`true`
      : user_id === undefined
        ? sql`provider_sid_hash = ${sid_hash}`
        : sql`(provider_sid_hash is null or provider_sid_hash = ${sid_hash})`
  const { rows } = await sql<{ user_id: string }>`
    delete from sessions
    where provider_at is not null and provider_org_id is not distinct from ${org_id}::uuid
      and ${user_id === undefined ? sql`true` : sql`user_id = ${user_id}`} and ${isSession}
    returning user_id`.execute(tx)
  return rows.map((row) => row.user_id)
}
