/** SQL of the sessions and their refresh tokens. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/postgres/db.ts'

export type Session = { id: string; user_id: string }
export type RefreshToken = { generation: number; used_at: Date | null; expires_at: Date }

export type SeenSession = {
  id: string
  created_at: Date
  last_seen_at: Date | null
  user_agent: string | null
}

const LISTED_MAX = 200
const ROWS_PER_SWEEP = 10_000

export async function insertSession(
  db: Db,
  session: Session & {
    expires_at: Date
    created_at: Date
    last_seen_at: Date
    user_agent: string | null
  },
): Promise<void> {
  await db.insertInto('sessions').values(session).execute()
}

/**
 * The session that a token was made for, used or not. The lock makes all who touch one session take
 * turns; what they read of its tokens must be read after it.
 */
export async function lockSessionOf(tx: Db, tokenHash: Buffer): Promise<Session | undefined> {
  return await tx
    .selectFrom('sessions')
    .select(['id', 'user_id'])
    .where('id', '=', (token) =>
      token.selectFrom('refresh_tokens').select('session_id').where('token_hash', '=', tokenHash),
    )
    .forUpdate()
    .executeTakeFirst()
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
  token: {
    token_hash: Buffer
    session_id: string
    generation: number
    expires_at: Date
    created_at: Date
  },
): Promise<void> {
  await db
    .insertInto('refresh_tokens')
    .values({ ...token, used_at: null })
    .execute()
}

/** With all that were given out beside it or before. */
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
  use: { expires_at: Date; last_seen_at: Date },
): Promise<void> {
  await db.updateTable('sessions').set(use).where('id', '=', sessionId).execute()
}

/** The refresh tokens go with it. */
export async function deleteSession(db: Db, sessionId: string): Promise<void> {
  await db.deleteFrom('sessions').where('id', '=', sessionId).execute()
}

export async function deleteSessionsOfUser(db: Db, userId: string): Promise<void> {
  await db.deleteFrom('sessions').where('user_id', '=', userId).execute()
}

/** Last seen first. */
export async function listSessions(db: Db, userId: string): Promise<SeenSession[]> {
  return await db
    .selectFrom('sessions')
    .select(['id', 'created_at', 'last_seen_at', 'user_agent'])
    .where('user_id', '=', userId)
    .orderBy((session) => session.fn.coalesce('last_seen_at', 'created_at'), 'desc')
    .orderBy('id')
    .limit(LISTED_MAX)
    .execute()
}

/** @param sessionId the one that stays; all go without it */
export async function deleteOtherSessions(
  tx: Db,
  userId: string,
  sessionId: string | undefined,
): Promise<void> {
  await tx
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .$if(sessionId !== undefined, (query) => query.where('id', '<>', sessionId ?? ''))
    .execute()
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
 * Deletes sessions that can no longer be refreshed, and refresh tokens too old to be of any use,
 * not even to recognise a theft. Safe on several nodes at once: each takes rows nobody else holds.
 *
 * @returns how many rows went
 */
export async function sweepExpired(db: Db, now: Date): Promise<number> {
  const sessions = await inPortions(async () => {
    const { numAffectedRows } = await sql`
      delete from sessions where id in (
        select id from sessions where expires_at <= ${now}
        limit ${ROWS_PER_SWEEP} for update skip locked)`.execute(db)
    return Number(numAffectedRows ?? 0n)
  })
  const tokens = await inPortions(async () => {
    const { numAffectedRows } = await sql`
      delete from refresh_tokens where token_hash in (
        select token_hash from refresh_tokens where expires_at <= ${now}
        limit ${ROWS_PER_SWEEP} for update skip locked)`.execute(db)
    return Number(numAffectedRows ?? 0n)
  })
  return sessions + tokens
}

async function inPortions(deletePortion: () => Promise<number>): Promise<number> {
  let total = 0
  let deleted = ROWS_PER_SWEEP
  while (deleted === ROWS_PER_SWEEP) {
    deleted = await deletePortion()
    total += deleted
  }
  return total
}
