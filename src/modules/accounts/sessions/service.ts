/**
 * Sign-in and what follows: a short-lived access token, and a refresh token that is exchanged for
 * the next pair and works once. A refresh token that comes a second time was stolen, from the user
 * or by the one who is presenting it, so the whole session ends (RFC 9700, 4.14; open point 36).
 * Only within a few seconds of its first use it gives another successor: two tabs of a browser share
 * the token and may present it together, and an answer that was lost has to be asked for again. The
 * first of these successors that is used uses up the others, so a thief who came within those seconds
 * is still found out: as soon as both went on, the session ends.
 */
import { createHash } from 'node:crypto'
import type { Clock } from '../../../platform/clock.ts'
import { isToken, newToken } from '../../../platform/crypto/tokens.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { emailFault } from '../credentials.ts'
import type { Passwords } from '../passwords.ts'
import { findUserByEmail } from '../store.ts'
import { type AccessClaims, type AccessTokens, createAccessTokens } from './access-token.ts'
import {
  deleteSession,
  extendSession,
  findRefreshToken,
  insertRefreshToken,
  insertSession,
  lockSessionOf,
  markGenerationUsed,
  type Session,
} from './store.ts'

/** `expires_at` is that of the access token. */
export type TokenPair = { access_token: string; refresh_token: string; expires_at: Date }

export type Sessions = {
  /**
   * @returns undefined for a wrong e-mail or password, after the same work in both cases
   * @throws PasswordsBusyError when too many are signing in
   */
  signIn(email: string, password: string, userAgent?: string): Promise<TokenPair | undefined>
  /** Without a password, for those who have the machine. Undefined for an unknown e-mail. */
  issueTokens(email: string): Promise<TokenPair | undefined>
  /**
   * @returns undefined when the token is unknown, expired, or was used longer ago than the leeway
   *   (which ends the session)
   */
  refresh(refreshToken: string): Promise<TokenPair | undefined>
  /** Ends the session of the token. Access tokens given out before end with their lifetime. */
  signOut(refreshToken: string): Promise<void>
  verifyAccess(accessToken: string): Promise<AccessClaims | undefined>
}

export type SessionOptions = {
  db: Database
  newId: NewId
  clock: Clock
  log: Log
  passwords: Passwords
  /** At least 32 bytes, the same on every node. */
  access_token_secret: Buffer
  access_token_minutes: number
  refresh_token_days: number
  /** How long after its first use a refresh token still gives successors; 0: it works once. */
  refresh_leeway_seconds: number
}

const REFRESH_PREFIX = 'vrt_'
const USER_AGENT_MAX_CHARS = 300
const SECOND_MS = 1000
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export function createSessions(options: SessionOptions): Sessions {
  const { db, clock } = options
  const accessTokens = createAccessTokens(options.access_token_secret)
  const context: Context = { ...options, accessTokens }

  /** What cannot be an address is not looked up; PostgreSQL refuses some characters in a text. */
  const findUser = async (email: string) =>
    emailFault(email.trim()) === undefined ? await findUserByEmail(db, email) : undefined

  return {
    signIn: async (email, password, userAgent) => {
      const user = await findUser(email)
      const matches = await options.passwords.verify(password, user?.password_hash)
      return user && matches ? await startSession(context, user.id, userAgent) : undefined
    },
    issueTokens: async (email) => {
      const user = await findUser(email)
      return user && (await startSession(context, user.id))
    },
    refresh: async (refreshToken) => {
      if (!isToken(refreshToken, REFRESH_PREFIX)) return undefined
      const tokenHash = hashOf(refreshToken)
      return await db.transaction().execute(async (tx) => await rotate(tx, context, tokenHash))
    },
    signOut: async (refreshToken) => {
      if (!isToken(refreshToken, REFRESH_PREFIX)) return
      await db.transaction().execute(async (tx) => {
        const session = await lockSessionOf(tx, hashOf(refreshToken))
        if (session) await deleteSession(tx, session.id)
      })
    },
    verifyAccess: async (accessToken) => await accessTokens.verify(accessToken, clock.now()),
  }
}

type Context = SessionOptions & { accessTokens: AccessTokens }

async function startSession(
  context: Context,
  userId: string,
  userAgent?: string,
): Promise<TokenPair> {
  const now = context.clock.now()
  const session = { id: context.newId(now), user_id: userId }
  return await context.db.transaction().execute(async (tx) => {
    await insertSession(tx, {
      ...session,
      expires_at: lastsUntil(context, now),
      created_at: now,
      last_seen_at: now,
      user_agent: storable(userAgent),
    })
    return await issuePair(tx, context, { ...session, generation: 0 }, now)
  })
}

async function rotate(tx: Db, context: Context, tokenHash: Buffer): Promise<TokenPair | undefined> {
  const session = await lockSessionOf(tx, tokenHash)
  const token = session && (await findRefreshToken(tx, tokenHash))
  if (session === undefined || token === undefined) return undefined
  const now = context.clock.now()
  if (token.used_at !== null && !isWithinLeeway(context, token.used_at, now)) {
    await deleteSession(tx, session.id)
    const { id: session_id, user_id } = session
    context.log.warn({ user_id, session_id }, 'refresh token used twice; session ended')
    return undefined
  }
  if (token.expires_at <= now) return undefined
  // The leeway counts from the first use, or presenting it again and again would prolong it.
  if (token.used_at === null) await markGenerationUsed(tx, session.id, token.generation, now)
  await extendSession(tx, session.id, { expires_at: lastsUntil(context, now), last_seen_at: now })
  return await issuePair(tx, context, { ...session, generation: token.generation + 1 }, now)
}

const isWithinLeeway = (context: Context, usedAt: Date, now: Date): boolean =>
  now.getTime() - usedAt.getTime() < context.refresh_leeway_seconds * SECOND_MS

async function issuePair(
  tx: Db,
  context: Context,
  session: Session & { generation: number },
  now: Date,
): Promise<TokenPair> {
  const refresh_token = newToken(REFRESH_PREFIX)
  await insertRefreshToken(tx, {
    token_hash: hashOf(refresh_token),
    session_id: session.id,
    generation: session.generation,
    expires_at: lastsUntil(context, now),
    created_at: now,
  })
  const claims = { user_id: session.user_id, session_id: session.id }
  const expires_at = wholeSeconds(now.getTime() + context.access_token_minutes * MINUTE_MS)
  const times = { token_id: context.newId(now), now, expires_at }
  return { access_token: await context.accessTokens.sign(claims, times), refresh_token, expires_at }
}

const storable = (userAgent: string | undefined): string | null =>
  userAgent?.slice(0, USER_AGENT_MAX_CHARS).replaceAll('\0', '').toWellFormed() ?? null

const lastsUntil = ({ refresh_token_days }: Context, now: Date): Date =>
  new Date(now.getTime() + refresh_token_days * DAY_MS)

const hashOf = (token: string): Buffer => createHash('sha256').update(token).digest()

/** The resolution of a JWT; the answer and the token must name the same moment. */
const wholeSeconds = (unixMs: number): Date => new Date(Math.floor(unixMs / 1000) * 1000)
