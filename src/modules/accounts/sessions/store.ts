/** SQL for sessions and their refresh tokens. */
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'
import { deleteExpired } from '../expired.store.ts'
import type { AccountTables } from '../tables.ts'

export type Session = {
  id: string
  user_id: string
  created_at: Date
  browser_id: string | null
  provider_at?: Date | null
}
export type RefreshToken = { generation: number; used_at: Date | null; expires_at: Date }

type Sessions = AccountTables['sessions']
export type StoredSession = Pick<
  Selectable<Sessions>,
  'id' | 'created_at' | 'last_seen_at' | 'user_agent' | 'address'
>

const LISTED_MAX = 200
const ROWS_PER_SWEEP = 10_000

export async function insertSession(db: Db, session: Insertable<Sessions>): Promise<void> {
  await db.insertInto('sessions').values(session).execute()
}

/**
 * Finds the session of a token, whether or not the token was used. The lock serializes all changes of
 * a session; its tokens must be read after taking it.
 */
export async function lockSessionOf(tx: Db, tokenHash: Buffer): Promise<Session | undefined> {
  return await tx
    .selectFrom('sessions')
    .select(['id', 'user_id', 'created_at', 'browser_id', 'provider_at'])
    .where('id', '=', (token) =>
      token.selectFrom('refresh_tokens').select('session_id').where('token_hash', '=', tokenHash),
    )
    .forUpdate()
    .executeTakeFirst()
}

export type ExistingSession = Pick<
  Selectable<Sessions>,
  'id' | 'factor_at' | 'provider_at' | 'provider_org_id' | 'org_id'
>

/** @returns those of the ids that are sessions */
export async function listExistingSessions(
  db: Db,
  ids: readonly string[],
): Promise<ExistingSession[]> {
  const { rows } = await sql<ExistingSession>`
    select id, factor_at, provider_at, provider_org_id, org_id from sessions
    where id = any(${ids}::uuid[])`.execute(db)
  return rows
}

/** @param sessionId undefined for tokens without a session, which prove nothing */
export async function markFactorProved(
  db: Db,
  userId: string,
  sessionId: string | undefined,
  now: Date,
): Promise<void> {
  if (sessionId === undefined) return
  await db
    .updateTable('sessions')
    .set({ factor_at: now })
    .where('user_id', '=', userId)
    .where('id', '=', sessionId)
    .execute()
}

/** Call it when a second factor is removed: a later one was proved in no session. */
export async function forgetProofs(db: Db, userId: string): Promise<void> {
  await db.updateTable('sessions').set({ factor_at: null }).where('user_id', '=', userId).execute()
}

export async function findRefreshToken(
  db: Db,
  tokenHash: Buffer,
): Promise<RefreshToken | undefined> {
  return await db
    .selectFrom('refresh_tokens')
    .select(['generation', 'used_at', 'expires_at'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
}

export async function insertRefreshToken(
  db: Db,
  token: Omit<Selectable<AccountTables['refresh_tokens']>, 'used_at'>,
): Promise<void> {
  await db
    .insertInto('refresh_tokens')
    .values({ ...token, used_at: null })
    .execute()
}

/** Marks the tokens of this and all earlier generations. */
export async function markGenerationUsed(
  tx: Db,
  sessionId: string,
  generation: number,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('refresh_tokens')
    .set({ used_at: now })
    .where('session_id', '=', sessionId)
    .where('generation', '<=', generation)
    .where('used_at', 'is', null)
    .execute()
}

export async function extendSession(
  db: Db,
  sessionId: string,
  use: Pick<Selectable<Sessions>, 'expires_at' | 'last_seen_at' | 'browser_id'> & {
    address?: string
  },
): Promise<void> {
  await db.updateTable('sessions').set(use).where('id', '=', sessionId).execute()
}

/** Deletes the refresh tokens as well. */
export async function deleteSession(db: Db, sessionId: string): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', sessionId).execute()
}

export async function deleteSessionsOfUser(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
}

/** Last seen first. */
export async function listSessions(db: Db, userId: string): Promise<StoredSession[]> {
  return await db
    .selectFrom('sessions')
    .select(['id', 'created_at', 'last_seen_at', 'user_agent', 'address'])
    .where('user_id', '=', userId)
    .orderBy((session) => session.fn.coalesce('last_seen_at', 'created_at'), 'desc')
    .orderBy('id')
    .limit(LISTED_MAX)
    .execute()
}

/**
 * @param sessionId the session that remains; undefined deletes all
 * @returns the number of deleted sessions
 */
export async function deleteOtherSessions(
  tx: Db,
  userId: string,
  sessionId: string | undefined,
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(sessionId !== undefined, (query) => query.where('id', '<>', sessionId ?? ''))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

export async function deleteOwnSession(
  db: Db,
  userId: string,
  sessionId: string,
): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', sessionId)
    .executeTakeFirst()
  return numDeletedRows === 1n
}

/**
 * Deletes a portion of the sessions that can no longer be refreshed, and of the refresh tokens that
 * are too old even to detect a theft. Safe to run on several nodes, because locked rows are skipped.
 * @returns the number of deleted rows
 */
export async function sweepExpired(db: Db, now: Date): Promise<number> {
  const rows_max = ROWS_PER_SWEEP
  const sessions = await deleteExpired(db, { table: 'sessions', key: 'id', rows_max }, now)
  const tokens = { table: 'refresh_tokens', key: 'token_hash', rows_max } as const
  return sessions + (await deleteExpired(db, tokens, now))
}
