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
import type { Clock } from '../../../platform/clock.ts'
import { hashToken, isToken } from '../../../platform/crypto/tokens.ts'
import { isUuid, type NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database } from '../../../platform/postgres/db.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { emailFault } from '../credentials.ts'
import type { AccountMails } from '../mail/account-mails.ts'
import type { Passwords } from '../passwords.ts'
import { findAccount } from '../same-email.ts'
import type { RefusedCode, SecondFactors } from '../second-factor/service.ts'
import { auditBreakGlass } from '../single-sign-on/break-glass.ts'
import { findUser, type User } from '../store.ts'
import { createAccessTokens } from './access-token.ts'
import { createSessionReader, type VerifiedAccess } from './existing-sessions.ts'
import { createKnownBrowsers, type KnownBrowser } from './known-browser.ts'
import type { Lifetimes } from './lifetimes.ts'
import { deleteOwnSession, deleteSession, insertSession, lockSessionOf } from './store.ts'
import {
  type Origin,
  REFRESH_PREFIX,
  rotate,
  type Started,
  startSession,
  type TokenContext,
  type TokenPair,
  wholeSeconds,
} from './tokens.ts'

export type LongToken = Pick<TokenPair, 'access_token' | 'expires_at'>

/** With the cookie that marks the browser as known. */
export type SignedIn = TokenPair & { browser_cookie: string }

export type SignInHints = Origin & {
  /** An organization that the account is a member of. */
  org_id?: string | undefined
  /** The account that the browser knows. */
  user_id?: string | undefined
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

/** @property sign_out_url sealed */
export type ProviderSignIn = Origin & {
  org_id: string | null
  sign_out_url: string | null
  /** Identifies the session at the provider; null if the provider named none. */
  sid_hash: Buffer | null
  /** Whether the provider has checked a second factor. */
  is_proved: boolean
}

/** Limits of the token of a program, and its name in lists. */
export type ProgramLimits = {
  program: string
  org_id: string
  is_proved: boolean
  address: string
  /** Provider of the session that approved it, if it came from one. */
  provider_at: Date | null
  provider_org_id: string | null
}

export type Sessions = {
  /**
   * @returns undefined for an unknown e-mail or a wrong password, after the same work in both cases
   * @throws PasswordsBusyError when too many sign-ins are waiting
   * @throws SecondFactorError
   */
  signIn(email: string, password: string, hints?: SignInHints): Promise<SignedIn | undefined>
  /** For a user who has proved a second factor without a password. */
  signInProved(userId: string, origin: Origin): Promise<SignedIn | undefined>
  /** For a user whom a provider has identified. */
  signInByProvider(userId: string, signIn: ProviderSignIn): Promise<SignedIn | undefined>
  /** Requires no password, for the command line. @returns undefined for an unknown user */
  issueTokens(userId: string): Promise<TokenPair | undefined>
  /**
   * Starts a session without a refresh token, for programs: its access token works until the session ends, at
   * the latest after the days. @returns undefined for an unknown user
   */
  issueLongToken(
    userId: string,
    days: number,
    limits?: ProgramLimits,
  ): Promise<LongToken | undefined>
  /** Ends the session of an access token. */
  endOwnSession(claims: { user_id: string; session_id?: string }): Promise<void>
  /**
   * @returns undefined when the token is unknown or expired, or was first used before the leeway,
   *   which ends the session
   */
  refresh(refreshToken: string, origin?: Origin): Promise<SignedIn | undefined>
  /** Ends the session of the token, and with it its access tokens. */
  signOut(refreshToken: string): Promise<void>
  /** @returns undefined unless the token is valid and its session continues */
  verifyAccess(accessToken: string): Promise<VerifiedAccess | undefined>
  /** @returns undefined unless the cookie is valid; `knowsBrowser` compares it with an account */
  readBrowserCookie(cookie: string): Promise<KnownBrowser | undefined>
  /** Whether an account with this e-mail has signed in there, with its current password. */
  knowsBrowser(browser: KnownBrowser, email: string): Promise<boolean>
}

export type SessionOptions = Lifetimes & {
  db: Database
  newId: NewId
  clock: Clock
  log: Log
  passwords: Passwords
  mails?: AccountMails | undefined
  /** Checks and uses up a code of the second factor. */
  checkCode: SecondFactors['checkCode']
  /** At least 32 bytes, the same on every node. */
  access_token_secret: Buffer
  /** Another one, also at least 32 bytes. */
  known_browser_secret: Buffer
  access_token_minutes: number
  refresh_leeway_seconds: number
  provider_session_hours?: number
}

/** How the list of sessions names a session of a program. */
const PROGRAM = 'vigil token'

export function createSessions(options: SessionOptions): Sessions {
  const { db, clock } = options
  const accessTokens = createAccessTokens(options.access_token_secret)
  const browsers = createKnownBrowsers(options.known_browser_secret)
  const context: TokenContext = { ...options, accessTokens, browsers }
  const find = createSessionReader(db)

  return {
    signIn: async (email, password, { code, org_id, user_id, ...origin } = {}) => {
      const user = await findAccount(options, email, password, { org_id, user_id })
      if (!user) return undefined
      const outcome = await options.checkCode(user.id, code)
      if (outcome !== 'accepted' && outcome !== 'is_off') throw new SecondFactorError(outcome)
      const proof = { ...origin, is_proved: outcome === 'accepted' }
      return await signedIn(context, user, await startSession(context, user.id, proof))
    },
    signInProved: async (userId, origin) => {
      const user = await findUser(db, userId)
      if (!user) return undefined
      const proof = { ...origin, is_proved: true }
      return await signedIn(context, user, await startSession(context, user.id, proof))
    },
    signInByProvider: async (userId, { org_id, sign_out_url, sid_hash, ...proof }) => {
      const user = await findUser(db, userId)
      if (!user) return undefined
      const provider = {
        provider_org_id: org_id,
        provider_sid_hash: sid_hash,
        sign_out_url,
        provider_at: clock.now(),
      }
      const started = await startSession(context, user.id, { ...proof, provider })
      return await signedIn(context, user, started)
    },
    issueTokens: async (userId) => {
      const user = isUuid(userId) ? await findUser(db, userId) : undefined
      return user && (await startSession(context, user.id, { is_proved: true })).tokens
    },
    endOwnSession: async ({ user_id, session_id }) => {
      if (session_id !== undefined) await deleteOwnSession(db, user_id, session_id)
    },
    issueLongToken: async (userId, days, limits) => {
      const user = isUuid(userId) ? await findUser(db, userId) : undefined
      if (!user) return undefined
      const now = clock.now()
      const session = {
        id: options.newId(now),
        user_id: userId,
        user_agent: limits?.program ?? PROGRAM,
        address: limits?.address ?? null,
        org_id: limits?.org_id ?? null,
        factor_at: limits?.is_proved === true ? now : null,
        provider_at: limits?.provider_at ?? null,
        provider_org_id: limits?.provider_org_id ?? null,
      }
      const expires_at = wholeSeconds(now.getTime() + days * DAY_MS)
      await db.transaction().execute(async (tx) => {
        await insertSession(tx, { ...session, expires_at, created_at: now, last_seen_at: now })
        await auditBreakGlass(tx, options, userId, PROGRAM)
      })
      const claims = { user_id: userId, session_id: session.id }
      const times = { token_id: options.newId(now), now, expires_at }
      return { access_token: await accessTokens.sign(claims, times), expires_at }
    },
    refresh: async (refreshToken, origin = {}) => {
      if (!isToken(refreshToken, REFRESH_PREFIX)) return undefined
      const next = await db.transaction().execute((tx) => rotate(tx, context, refreshToken, origin))
      const user = next && (await findUser(db, next.user_id))
      return user && (await signedIn(context, user, next))
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
      return claims && (await find(claims, clock.now()))
    },
    readBrowserCookie: (cookie) => browsers.read(cookie, clock.now()),
    knowsBrowser: async (browser, email) =>
      emailFault(email.trim()) === undefined && (await browsers.isOf(db, browser, email)),
  }
}

const signedIn = async (
  { browsers, clock }: TokenContext,
  user: User,
  { tokens, browser_id }: Started,
): Promise<SignedIn> => ({
  ...tokens,
  browser_cookie: await browsers.sign(user, browser_id, clock.now()),
})
