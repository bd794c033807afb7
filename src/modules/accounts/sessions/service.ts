/**
 * Sessions of users: a short-lived access token, and a refresh token that is exchanged for the next
 * pair and works once. A refresh token that is used again was stolen, by one of the two callers, so
 * the whole session ends (RFC 9700, 4.14; open point 36).
 *
 * Within a few seconds of its first use, a token yields another successor, because two tabs of a
 * browser may present it together, and a lost response must be repeated. Using one of these
 * successors uses up the others, so a theft within those seconds is still detected: the session ends
 * as soon as both parties have continued.
 */
import { createBatcher } from '../../../platform/batch.ts'
import type { Clock } from '../../../platform/clock.ts'
import { hashToken, isToken, newToken } from '../../../platform/crypto/tokens.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../../../platform/time-units.ts'
import { emailFault } from '../credentials.ts'
import type { Passwords } from '../passwords.ts'
import { findAccount } from '../same-email.ts'
import type { RefusedCode, SecondFactors } from '../second-factor/service.ts'
import { findUser, type User } from '../store.ts'
import { type AccessClaims, type AccessTokens, createAccessTokens } from './access-token.ts'
import { createKnownBrowsers, type KnownBrowser, type KnownBrowsers } from './known-browser.ts'
import {
  deleteSession,
  type ExistingSession,
  extendSession,
  findRefreshToken,
  insertRefreshToken,
  insertSession,
  listExistingSessions,
  lockSessionOf,
  markGenerationUsed,
  type Session,
} from './store.ts'

/** `expires_at` is the expiry of the access token. */
export type TokenPair = { access_token: string; refresh_token: string; expires_at: Date }

export type LongToken = Pick<TokenPair, 'access_token' | 'expires_at'>

/** With the cookie that marks the browser as known. */
export type SignedIn = TokenPair & { browser_cookie: string }

export type SignInHints = {
  /** An organization that the account is a member of. */
  org_id?: string | undefined
  /** The account that the browser knows. */
  user_id?: string | undefined
  user_agent?: string | undefined
  /** A code of the second factor. */
  code?: string | undefined
}

/** The password was right, but the account has a second factor, and the code was not accepted. */
export class SecondFactorError extends Error {
  readonly reason: RefusedCode | 'passkey'

  constructor(reason: RefusedCode | 'passkey') {
    super(`second factor: ${reason}`)
    this.reason = reason
  }
}

/** `fresh`: within the last minutes; absent where the session has proved no second factor. */
export type ProvedFactor = 'proved' | 'fresh'

export type VerifiedAccess = AccessClaims & { factor?: ProvedFactor }

export type Sessions = {
  /**
   * @returns undefined for an unknown e-mail or a wrong password, after the same work in both cases
   * @throws PasswordsBusyError when too many sign-ins are waiting
   * @throws SecondFactorError
   */
  signIn(email: string, password: string, hints?: SignInHints): Promise<SignedIn | undefined>
  /** For a user who has proved a second factor without a password. */
  signInProved(userId: string, userAgent: string | undefined): Promise<SignedIn | undefined>
  /** Requires no password, for the command line. @returns undefined for an unknown user */
  issueTokens(userId: string): Promise<TokenPair | undefined>
  /**
   * Starts a session without a refresh token, for programs: its access token works until the session ends, at
   * the latest after the days. @returns undefined for an unknown user
   */
  issueLongToken(userId: string, days: number): Promise<LongToken | undefined>
  /**
   * @returns undefined when the token is unknown or expired, or was first used before the leeway,
   *   which ends the session
   */
  refresh(refreshToken: string): Promise<SignedIn | undefined>
  /** Ends the session of the token, and with it its access tokens. */
  signOut(refreshToken: string): Promise<void>
  /** @returns undefined unless the token is valid and its session continues */
  verifyAccess(accessToken: string): Promise<VerifiedAccess | undefined>
  /** @returns undefined unless the cookie is valid; `knowsBrowser` compares it with an account */
  readBrowserCookie(cookie: string): Promise<KnownBrowser | undefined>
  /** Whether an account with this e-mail has signed in there, with its current password. */
  knowsBrowser(browser: KnownBrowser, email: string): Promise<boolean>
}

export type SessionOptions = {
  db: Database
  newId: NewId
  clock: Clock
  log: Log
  passwords: Passwords
  /** Checks and uses up a code of the second factor. */
  checkCode: SecondFactors['checkCode']
  /** At least 32 bytes, the same on every node. */
  access_token_secret: Buffer
  /** Another one, also at least 32 bytes. */
  known_browser_secret: Buffer
  access_token_minutes: number
  refresh_token_days: number
  /** Time after its first use in which a refresh token still yields successors; 0 allows one use. */
  refresh_leeway_seconds: number
}

/** A proof of the second factor counts as recent for this long. */
const FRESH_FACTOR_MS = 10 * MINUTE_MS
const REFRESH_PREFIX = 'vrt_'
const USER_AGENT_MAX_CHARS = 300
/** How the list of sessions names a session of a program. */
const PROGRAM = 'vigil token'

export function createSessions(options: SessionOptions): Sessions {
  const { db, clock } = options
  const accessTokens = createAccessTokens(options.access_token_secret)
  const browsers = createKnownBrowsers(options.known_browser_secret)
  const context: Context = { ...options, accessTokens, browsers }
  const find = createSessionReader(db)

  return {
    signIn: async (email, password, { user_agent, code, ...hints } = {}) => {
      const user = await findAccount(options, email, password, hints)
      if (!user) return undefined
      const outcome = await options.checkCode(user.id, code)
      if (outcome !== 'accepted' && outcome !== 'is_off') throw new SecondFactorError(outcome)
      const proof = { user_agent, is_proved: outcome === 'accepted' }
      return await signedIn(context, user, await startSession(context, user.id, proof))
    },
    signInProved: async (userId, user_agent) => {
      const user = await findUser(db, userId)
      if (!user) return undefined
      const proof = { user_agent, is_proved: true }
      return await signedIn(context, user, await startSession(context, user.id, proof))
    },
    issueTokens: async (userId) => {
      const user = isUuid(userId) ? await findUser(db, userId) : undefined
      return user && (await startSession(context, user.id, { is_proved: true }))
    },
    issueLongToken: async (userId, days) => {
      const user = isUuid(userId) ? await findUser(db, userId) : undefined
      if (!user) return undefined
      const now = clock.now()
      const session = { id: options.newId(now), user_id: userId, user_agent: PROGRAM }
      const expires_at = wholeSeconds(now.getTime() + days * DAY_MS)
      await insertSession(db, { ...session, expires_at, created_at: now, last_seen_at: now })
      const claims = { user_id: userId, session_id: session.id }
      const times = { token_id: options.newId(now), now, expires_at }
      return { access_token: await accessTokens.sign(claims, times), expires_at }
    },
    refresh: async (refreshToken) => {
      if (!isToken(refreshToken, REFRESH_PREFIX)) return undefined
      const tokenHash = hashToken(refreshToken)
      const next = await db.transaction().execute((tx) => rotate(tx, context, tokenHash))
      const user = next && (await findUser(db, next.user_id))
      return user && (await signedIn(context, user, next.tokens))
    },
    signOut: async (refreshToken) => {
      if (!isToken(refreshToken, REFRESH_PREFIX)) return
      await db.transaction().execute(async (tx) => {
        const session = await lockSessionOf(tx, hashToken(refreshToken))
        if (session) await deleteSession(tx, session.id)
      })
    },
    verifyAccess: async (accessToken) => {
      const claims = await accessTokens.verify(accessToken, clock.now())
      const session = claims && (await find(claims))
      return session && { ...claims, ...proofOf(session, clock.now()) }
    },
    readBrowserCookie: (cookie) => browsers.read(cookie, clock.now()),
    knowsBrowser: async (browser, email) =>
      emailFault(email.trim()) === undefined && (await browsers.isOf(db, browser, email)),
  }
}

type Context = SessionOptions & { accessTokens: AccessTokens; browsers: KnownBrowsers }

const SESSIONS_PER_READ_MAX = 500
/** A slow read must not delay all others. */
const READS_IN_FLIGHT_MAX = 2
/** Fewer look-ups wait for the current read, because two small reads cost more than one. */
const SECOND_READ_MIN = 16

/**
 * Not cached, so that an access token ends with its session: after a sign-out, a theft or a new
 * password it is refused with the next request, on every node.
 */
function createSessionReader(
  db: Db,
): (claims: AccessClaims) => Promise<ExistingSession | undefined> {
  const sessions = createBatcher<string, ExistingSession | undefined>({
    run: async (ids) => {
      const rows = await listExistingSessions(db, [...new Set(ids)])
      const found = new Map(rows.map((row) => [row.id, row]))
      return ids.map((id) => found.get(id))
    },
    items_max: SESSIONS_PER_READ_MAX,
    batches_in_flight_max: READS_IN_FLIGHT_MAX,
    second_batch_min: SECOND_READ_MIN,
  })
  return async ({ session_id }) => await sessions.submit(session_id)
}

function proofOf({ factor_at }: ExistingSession, now: Date): { factor?: ProvedFactor } {
  if (factor_at === null) return {}
  return { factor: now.getTime() - factor_at.getTime() < FRESH_FACTOR_MS ? 'fresh' : 'proved' }
}

const signedIn = async (context: Context, user: User, tokens: TokenPair): Promise<SignedIn> => ({
  ...tokens,
  browser_cookie: await context.browsers.sign(user, context.clock.now()),
})

async function startSession(
  context: Context,
  userId: string,
  { user_agent, is_proved }: { user_agent?: string | undefined; is_proved: boolean },
): Promise<TokenPair> {
  const now = context.clock.now()
  const factor_at = is_proved ? now : null
  const session = { id: context.newId(now), user_id: userId }
  return await context.db.transaction().execute(async (tx) => {
    const times = { expires_at: refreshExpiry(context, now), created_at: now, last_seen_at: now }
    await insertSession(tx, {
      ...session,
      ...times,
      user_agent: storable(user_agent),
      factor_at,
    })
    return await issuePair(tx, context, { ...session, generation: 0 }, now)
  })
}

type Rotated = { user_id: string; tokens: TokenPair }

async function rotate(tx: Db, context: Context, tokenHash: Buffer): Promise<Rotated | undefined> {
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
  // The leeway counts from the first use, so that repeated use does not prolong it.
  if (token.used_at === null) await markGenerationUsed(tx, session.id, token.generation, now)
  const use = { expires_at: refreshExpiry(context, now), last_seen_at: now }
  await extendSession(tx, session.id, use)
  const generation = token.generation + 1
  const tokens = await issuePair(tx, context, { ...session, generation }, now)
  return { user_id: session.user_id, tokens }
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
    token_hash: hashToken(refresh_token),
    session_id: session.id,
    generation: session.generation,
    expires_at: refreshExpiry(context, now),
    created_at: now,
  })
  const claims = { user_id: session.user_id, session_id: session.id }
  const expires_at = wholeSeconds(now.getTime() + context.access_token_minutes * MINUTE_MS)
  const times = { token_id: context.newId(now), now, expires_at }
  return { access_token: await context.accessTokens.sign(claims, times), refresh_token, expires_at }
}

const storable = (userAgent: string | undefined): string | null =>
  userAgent?.slice(0, USER_AGENT_MAX_CHARS).replaceAll('\0', '').toWellFormed() ?? null

const refreshExpiry = ({ refresh_token_days }: Context, now: Date): Date =>
  new Date(now.getTime() + refresh_token_days * DAY_MS)

/** The resolution of a JWT: the response and the token must contain the same time. */
const wholeSeconds = (unixMs: number): Date => new Date(Math.floor(unixMs / 1000) * 1000)
