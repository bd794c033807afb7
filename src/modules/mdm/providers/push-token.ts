/**
 * The token that Pub/Sub sends with a pushed message
 * (https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions): is it Google's, made out to
 * us, and of the account that we expect?
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, jwtVerify } from 'jose'
import { requestJson } from '../../../platform/net/http-json.ts'
import { createSingleFlight } from '../../../platform/net/single-flight.ts'

export type PushVerifierOptions = {
  jwks_url: string
  audience: string
  /**
   * E-mail address of the service account of the subscription. The audience alone proves nothing:
   * everybody's account can have a token for it.
   */
  account: string
  now: () => Date
  timeout_ms: number
}

/** Never rejects; what cannot be verified, also for want of the keys, is not. */
export type VerifyPush = (authorizationHeader: string | undefined) => Promise<boolean>

export const GOOGLE_JWKS_URL = 'https://www.googleapis.com/oauth2/v3/certs'

const ISSUERS = ['https://accounts.google.com', 'accounts.google.com']
const TOKEN_MAX_CHARS = 8192
const CLOCK_TOLERANCE_S = 60
const REFETCH_MS = 30_000
/** Keys that Google took out of use are not trusted for much longer. */
const KEYS_MAX_AGE_MS = 3_600_000

export function createPushVerifier(options: PushVerifierOptions): VerifyPush {
  const keys = createKeys(options)
  return async (header) => {
    const [, token] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header ?? '') ?? []
    if (token === undefined || token.length > TOKEN_MAX_CHARS) return false
    const known = await keys.current()
    const first = await verify(token, known, options)
    if (first !== 'unknown_key') return first === 'good'
    // Google has new keys, or it is a forgery: the former is worth a look now and then.
    const fresh = await keys.fresh()
    return fresh !== known && (await verify(token, fresh, options)) === 'good'
  }
}

async function verify(
  token: string,
  keys: JSONWebKeySet | undefined,
  { audience, account, now }: PushVerifierOptions,
): Promise<'good' | 'bad' | 'unknown_key'> {
  if (!keys) return 'unknown_key'
  try {
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), {
      algorithms: ['RS256'],
      issuer: ISSUERS,
      audience,
      currentDate: now(),
      clockTolerance: CLOCK_TOLERANCE_S,
      requiredClaims: ['exp', 'iat'],
    })
    return isOf(account, payload) ? 'good' : 'bad'
  } catch (error) {
    return error instanceof errors.JWKSNoMatchingKey ? 'unknown_key' : 'bad'
  }
}

function isOf(account: string, { email, email_verified }: JWTPayload): boolean {
  return email === account && email_verified === true
}

/** Kept for an hour, fetched at most every 30 seconds; old ones serve while there are no others. */
function createKeys({ jwks_url, now, timeout_ms }: PushVerifierOptions) {
  const flight = createSingleFlight<JSONWebKeySet | undefined>()
  let kept: { keys: JSONWebKeySet; at: number } | undefined
  let triedAt = Number.NEGATIVE_INFINITY

  const load = async () => {
    triedAt = now().getTime()
    const answer = await requestJson({ url: jwks_url, timeoutMs: timeout_ms })
    const keys =
      answer.known && answer.value.status === 200 ? readKeys(answer.value.body) : undefined
    if (keys) kept = { keys, at: triedAt }
    return kept?.keys
  }
  const fresh = async (): Promise<JSONWebKeySet | undefined> =>
    await flight('keys', async () => {
      const isTooSoon = now().getTime() - triedAt < REFETCH_MS
      return isTooSoon ? kept?.keys : await load()
    })
  const current = async (): Promise<JSONWebKeySet | undefined> => {
    const isYoung = kept !== undefined && now().getTime() - kept.at < KEYS_MAX_AGE_MS
    return isYoung ? kept?.keys : await fresh()
  }
  return { current, fresh }
}

function readKeys(body: unknown): JSONWebKeySet | undefined {
  const { keys } = (typeof body === 'object' && body !== null ? body : {}) as { keys?: unknown }
  const isSet = Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null)
  return isSet && keys.length > 0 ? { keys: keys as JSONWebKeySet['keys'] } : undefined
}
