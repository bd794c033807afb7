/** Starts sessions, and exchanges their refresh tokens for the next ones. */
import type { Selectable } from 'kysely'
import type { Clock } from '../../../platform/clock.ts'
import { hashToken, newToken } from '../../../platform/crypto/tokens.ts'
import { browserName } from '../../../platform/http/browser-name.ts'
import type { NewId } from '../../../platform/ids.ts'
import type { Log } from '../../../platform/log.ts'
import type { Database, Db } from '../../../platform/postgres/db.ts'
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../platform/time-units.ts'
import type { AccountMails } from '../mail/account-mails.ts'
import { auditOfUser } from '../second-factor/audit.ts'
import { auditBreakGlass } from '../single-sign-on/break-glass.ts'
import { findUser } from '../store.ts'
import type { AccountTables } from '../tables.ts'
import type { AccessTokens } from './access-token.ts'
import { rememberBrowser } from './browsers.store.ts'
import type { KnownBrowsers } from './known-browser.ts'
import { type Lifetimes, sessionEnd } from './lifetimes.ts'
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

/** `expires_at` is the expiry of the access token. */
export type TokenPair = { access_token: string; refresh_token: string; expires_at: Date }

/** Where a sign-in or a refresh comes from. */
export type Origin = {
  user_agent?: string | undefined
  address?: string | undefined
  /** With the user who last signed in there, as its cookie says. Undefined for programs. */
  browser?: { id: string; user_id?: string } | undefined
}

export type TokenContext = Lifetimes & {
  db: Database
  newId: NewId
  clock: Clock
  log: Log
  accessTokens: AccessTokens
  browsers: KnownBrowsers
  mails?: AccountMails | undefined
  access_token_minutes: number
  /** Time after its first use in which a refresh token still yields successors; 0 allows one use. */
  refresh_leeway_seconds: number
  /** A session of a provider ends this long after the last sign-in there. By default it has no such end. */
  provider_session_hours?: number
}

type FromProvider = Pick<
  Selectable<AccountTables['sessions']>,
  'provider_org_id' | 'sign_out_url' | 'provider_at' | 'provider_sid_hash'
>

/** @property browser_id of the browser of the session; null for commands of the operator */
export type Started = { tokens: TokenPair; browser_id: string | null }

export const REFRESH_PREFIX = 'vrt_'
const USER_AGENT_MAX_CHARS = 300

export async function startSession(
  context: TokenContext,
  userId: string,
  { is_proved, provider, ...origin }: Origin & { is_proved: boolean; provider?: FromProvider },
): Promise<Started> {
  const now = context.clock.now()
  const factor_at = is_proved ? now : null
  const browser_id = origin.browser?.id ?? programOf(context, origin)
  const session = { id: context.newId(now), user_id: userId, created_at: now, browser_id }
  const tokens = await context.db.transaction().execute(async (tx) => {
    await insertSession(tx, {
      ...session,
      expires_at: sessionEnd(context, now, now),
      last_seen_at: now,
      user_agent: storable(origin.user_agent),
      address: origin.address ?? null,
      factor_at,
      ...provider,
    })
    if (!provider) await auditBreakGlass(tx, context, userId, storable(origin.user_agent))
    if (browser_id !== null) await noteBrowser(tx, context, { ...session, browser_id }, origin)
    return await issuePair(tx, context, { ...session, generation: 0 }, now)
  })
  return { tokens, browser_id }
}

/** Programs have no cookie: they are known by their name and network. Commands have neither. */
const programOf = ({ browsers }: TokenContext, { address, user_agent = '' }: Origin) =>
  address === undefined ? null : browsers.programId(address, user_agent)

async function noteBrowser(
  tx: Db,
  context: TokenContext,
  { user_id, browser_id }: { user_id: string; browser_id: string },
  { browser, user_agent, address }: Origin,
): Promise<void> {
  const found = await rememberBrowser(tx, user_id, browser_id, context.clock.now())
  if (found !== 'new' || browser?.user_id === user_id) return
  const name = browserName(storable(user_agent))
  const details = { browser: name, address: address ?? null }
  await auditOfUser(tx, context, user_id, 'sign_in.new_browser', user_id, details)
  const to = (await findUser(tx, user_id))?.email
  if (to === undefined) return
  const at = `${context.clock.now().toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const texts = { browser: name, address: address ?? 'unknown', at }
  await context.mails?.add(tx, { kind: 'new_browser', to, subject_id: user_id, details: texts })
}

type Rotated = Started & { user_id: string }

export async function rotate(
  tx: Db,
  context: TokenContext,
  refreshToken: string,
  { address }: Origin,
): Promise<Rotated | undefined> {
  const tokenHash = hashToken(refreshToken)
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
  const expires_at = sessionEnd(context, session.created_at, now)
  if (isBeyondProvider(context, session, now)) {
    await deleteSession(tx, session.id)
    return undefined
  }
  if (token.expires_at <= now || expires_at <= now) return undefined
  // The leeway counts from the first use, so that repeated use does not prolong it.
  if (token.used_at === null) await markGenerationUsed(tx, session.id, token.generation, now)
  const { user_id } = session
  // Sessions of earlier versions have none.
  const browser_id = session.browser_id ?? (address === undefined ? null : context.newId(now))
  if (session.browser_id === null && browser_id !== null) {
    await rememberBrowser(tx, user_id, browser_id, now)
  }
  const from = address === undefined ? {} : { address }
  await extendSession(tx, session.id, { expires_at, last_seen_at: now, browser_id, ...from })
  const generation = token.generation + 1
  const tokens = await issuePair(tx, context, { ...session, generation }, now)
  return { user_id, tokens, browser_id }
}

/** People who have left an organization stay signed in no longer than this. */
const isBeyondProvider = (
  { provider_session_hours }: TokenContext,
  { provider_at }: Session,
  now: Date,
): boolean =>
  provider_session_hours !== undefined &&
  provider_at instanceof Date &&
  now.getTime() - provider_at.getTime() >= provider_session_hours * HOUR_MS

const isWithinLeeway = (context: TokenContext, usedAt: Date, now: Date): boolean =>
  now.getTime() - usedAt.getTime() < context.refresh_leeway_seconds * SECOND_MS

async function issuePair(
  tx: Db,
  context: TokenContext,
  session: Session & { generation: number },
  now: Date,
): Promise<TokenPair> {
  const refresh_token = newToken(REFRESH_PREFIX)
  const end = sessionEnd(context, session.created_at, now)
  await insertRefreshToken(tx, {
    token_hash: hashToken(refresh_token),
    session_id: session.id,
    generation: session.generation,
    expires_at: end,
    created_at: now,
  })
  const claims = { user_id: session.user_id, session_id: session.id }
  const access_ms = now.getTime() + context.access_token_minutes * MINUTE_MS
  const expires_at = wholeSeconds(Math.min(access_ms, end.getTime()))
  const times = { token_id: context.newId(now), now, expires_at }
  return { access_token: await context.accessTokens.sign(claims, times), refresh_token, expires_at }
}

const storable = (userAgent: string | undefined): string | null =>
  userAgent?.slice(0, USER_AGENT_MAX_CHARS).replaceAll('\0', '').toWellFormed() ?? null

/** The resolution of a JWT: the response and the token must contain the same time. */
export const wholeSeconds = (unixMs: number): Date => new Date(Math.floor(unixMs / 1000) * 1000)
