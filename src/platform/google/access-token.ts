/**
 * Access tokens of a Google service account. Concurrent callers share one fetch; a token is cached
 * until shortly before it expires, and dropped when an API rejects it.
 */
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import type { Dispatcher } from 'undici'
import { isObject } from '../is-object.ts'
import type { LookupFailure } from '../lookup.ts'
import { failureOfStatus, requestJson } from '../net/http-json.ts'
import { createSingleFlight } from '../net/single-flight.ts'
import type { ServiceAccount } from './service-account.ts'

export type AccessTokenOptions = {
  account: ServiceAccount
  /** Set by the operator and never read from the key file. */
  token_url: string
  scopes: readonly string[]
  now: () => Date
  timeout_ms: number
  /** Overrides the global dispatcher. */
  dispatcher?: Dispatcher | undefined
}

type KnownToken = { readonly known: true; readonly value: string }

/** A Lookup with Google's own explanation of a failure. */
export type TokenAnswer =
  | KnownToken
  | {
      readonly known: false
      readonly reason: LookupFailure
      /** Google's error, such as `invalid_grant: Invalid JWT Signature.` */
      readonly detail?: string
    }

export type AccessTokens = {
  /** The cached token while it is valid, for callers that cannot await a promise. */
  stored(): KnownToken | undefined
  /** Never rejects. */
  token(): Promise<TokenAnswer>
  /** Drops this token, unless a newer one has already replaced it. */
  forget(token: string): void
}

export const GOOGLE_TOKEN_URL = 'https://oauth2.googleapis.com/token'

const GRANT_TYPE = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
/** The maximum lifetime that Google accepts. */
const ASSERTION_LIFETIME_S = 3600
const MARGIN_S = 300
const DETAIL_MAX_CHARS = 200

/**
 * Exchanges signed assertions for tokens (RFC 7523,
 * https://developers.google.com/identity/protocols/oauth2/service-account#httprest). The audience of
 * an assertion is the URL it is sent to, so an emulator that receives one for a real account cannot
 * use it at Google.
 */
export function createAccessTokens(options: AccessTokenOptions): AccessTokens {
  const flight = createSingleFlight<TokenAnswer>()
  const key = createPrivateKey(options.account.private_key)
  let stored: { token: KnownToken; usable_until: number } | undefined

  const fetchToken = async (): Promise<TokenAnswer> => {
    const requestedAt = options.now().getTime()
    const answer = await requestToken(options, key)
    if (!answer.known) return answer
    const { access_token, lifetime_s } = answer.value
    const usable_s = Math.max(lifetime_s - MARGIN_S, lifetime_s / 2)
    const token: KnownToken = { known: true, value: access_token }
    stored = { token, usable_until: requestedAt + usable_s * 1000 }
    return token
  }

  const usable = () =>
    stored && stored.usable_until > options.now().getTime() ? stored.token : undefined

  return {
    stored: usable,
    token: async () => usable() ?? (await flight('token', fetchToken)),
    forget: (token) => {
      if (stored?.token.value === token) stored = undefined
    },
  }
}

type Fetched =
  | { known: true; value: { access_token: string; lifetime_s: number } }
  | Extract<TokenAnswer, { known: false }>

async function requestToken(options: AccessTokenOptions, key: KeyObject): Promise<Fetched> {
  const assertion = await signAssertion(options, key)
  const answer = await requestJson({
    url: options.token_url,
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: GRANT_TYPE, assertion }).toString(),
    timeoutMs: options.timeout_ms,
    dispatcher: options.dispatcher,
  })
  if (!answer.known) return answer
  const { status, body } = answer.value
  if (status === 200) return readToken(body)
  const detail = detailOf(body, assertion)
  // Google answers a deleted key, or a wrong clock, with 400 `invalid_grant`.
  const reason = status === 400 ? 'refused' : failureOfStatus(status)
  return { known: false, reason, ...(detail !== undefined && { detail }) }
}

async function signAssertion(
  { account, token_url, scopes, now }: AccessTokenOptions,
  key: KeyObject,
): Promise<string> {
  const issuedAt = Math.floor(now().getTime() / 1000)
  return await new SignJWT({ scope: scopes.join(' ') })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: account.private_key_id })
    .setIssuer(account.client_email)
    .setAudience(token_url)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ASSERTION_LIFETIME_S)
    .sign(key)
}

function readToken(body: unknown): Fetched {
  const { access_token, expires_in } = isObject(body) ? body : {}
  const lifetime_s = Number(expires_in)
  const isToken = typeof access_token === 'string' && /^[\x21-\x7e]{1,8192}$/.test(access_token)
  if (!isToken || !(lifetime_s > 0)) return { known: false, reason: 'bad_answer' }
  return { known: true, value: { access_token, lifetime_s } }
}

function detailOf(body: unknown, assertion: string): string | undefined {
  const { error, error_description } = isObject(body) ? body : {}
  const parts = [error, error_description].filter((part) => typeof part === 'string')
  if (parts.length === 0) return undefined
  return parts.join(': ').replaceAll(assertion, '…').slice(0, DETAIL_MAX_CHARS)
}
