/**
 * Verifies that the token of a pushed message was issued by Google for our audience and the expected
 * account (https://cloud.google.com/pubsub/docs/authenticate-push-subscriptions).
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, jwtVerify } from 'jose'
import { requestJson } from '../../../platform/net/http-json.ts'
import { createSingleFlight } from '../../../platform/net/single-flight.ts'
import { membersOf } from './messages.ts'

export type PushVerifierOptions = {
  jwks_url: string
  audience: string
  /**
   * Email address of the service account of the subscription. The audience alone proves nothing, because
   * any Google account can get a token for it.
   */
  account: string
  now: () => Date
  timeout_ms: number
}

/** Never throws; a token that cannot be verified, also for lack of keys, is invalid. */
export type VerifyPush = (authorizationHeader: string | undefined) => Promise<boolean>

export const GOOGLE_JWKS_URL = 'https://www.googleapis.com/oauth2/v3/certs'

const ISSUERS = ['https://accounts.google.com', 'accounts.google.com']
const TOKEN_MAX_CHARS = 8192
const CLOCK_TOLERANCE_S = 60
const REFETCH_MS = 30_000
/** Limits the trust in keys that Google has retired. */
const KEYS_MAX_AGE_MS = 3_600_000

export function createPushVerifier(options: PushVerifierOptions): VerifyPush {
  const keys = createKeys(options)
  return async (header) => {
    const [, token] = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(header ?? '') ?? []
    if (token === undefined || token.length > TOKEN_MAX_CHARS) return false
    const known = await keys.current()
    const first = await verify(token, known, options)
    if (first !== 'unknown_key') return first === 'valid'
    // Either Google has rotated its keys or the token is forged, so refreshes are rate limited.
    const fresh = await keys.fresh()
    return fresh !== known && (await verify(token, fresh, options)) === 'valid'
  }
}

async function verify(
  token: string,
  keys: JSONWebKeySet | undefined,
  { audience, account, now }: PushVerifierOptions,
): Promise<'valid' | 'invalid' | 'unknown_key'> {
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
    return payload['email'] === account && payload['email_verified'] === true ? 'valid' : 'invalid'
  } catch (error) {
    return error instanceof errors.JWKSNoMatchingKey ? 'unknown_key' : 'invalid'
  }
}

/** Caches the keys for an hour; expired ones are used while Google does not return new ones. */
function createKeys({ jwks_url, now, timeout_ms }: PushVerifierOptions) {
  const flight = createSingleFlight<JSONWebKeySet | undefined>()
  let cached: { keys: JSONWebKeySet; at: number } | undefined
  let triedAt = Number.NEGATIVE_INFINITY

  const load = async () => {
    triedAt = now().getTime()
    const answer = await requestJson({ url: jwks_url, timeoutMs: timeout_ms })
    const keys =
      answer.known && answer.value.status === 200 ? readKeys(answer.value.body) : undefined
    if (keys) cached = { keys, at: triedAt }
    return cached?.keys
  }
  const fresh = async (): Promise<JSONWebKeySet | undefined> =>
    await flight('keys', async () => {
      const isTooSoon = now().getTime() - triedAt < REFETCH_MS
      return isTooSoon ? cached?.keys : await load()
    })
  const current = async (): Promise<JSONWebKeySet | undefined> => {
    const isYoung = cached !== undefined && now().getTime() - cached.at < KEYS_MAX_AGE_MS
    return isYoung ? cached?.keys : await fresh()
  }
  return { current, fresh }
}

function readKeys(body: unknown): JSONWebKeySet | undefined {
  const { keys } = membersOf(body)
  const isSet = Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null)
  return isSet && keys.length > 0 ? { keys: keys as JSONWebKeySet['keys'] } : undefined
}
