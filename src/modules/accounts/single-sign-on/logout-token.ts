/** The token with which a provider ends sessions here (OpenID Connect Back-Channel Logout 1.0). */
import { createRemoteJWKSet, customFetch, decodeJwt, type JWTPayload, jwtVerify } from 'jose'
import { isObject } from '../../../platform/is-object.ts'
import type { OutwardFetch } from '../../../platform/net/outward-fetch.ts'

/** `sid`: one session; without it all sessions of the person end. At least one of both is there. */
export type SignedOut = { subject: string | undefined; sid: string | undefined; token_id: string }

type Expected = { issuer: string; client_id: string; keys_url: URL; fetch: OutwardFetch; now: Date }

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** Keys that only the provider has. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'EdDSA']
const ID_MAX_CHARS = 255
const AGE_MAX_SECONDS = 600
const SKEW_SECONDS = 60
/** A token is not accepted any more after this time. */
export const TOKEN_MS = (AGE_MAX_SECONDS + 2 * SKEW_SECONDS) * 1000

/** @throws Error, without a request to the provider where the token cannot be valid */
export async function verifyLogoutToken(token: string, expected: Expected): Promise<SignedOut> {
  const { issuer, client_id, keys_url, now } = expected
  const signedOut = readSignedOut(decodeJwt(token))
  const keys = createRemoteJWKSet(keys_url, {
    [customFetch]: async (url, { method, headers, signal }) =>
      await expected.fetch(url, { method, headers: Object.fromEntries(headers), signal }),
  })
  await jwtVerify(token, keys, {
    issuer,
    audience: client_id,
    algorithms: ALGORITHMS,
    requiredClaims: ['iat', 'jti', 'events'],
    maxTokenAge: AGE_MAX_SECONDS,
    clockTolerance: SKEW_SECONDS,
    currentDate: now,
  })
  return signedOut
}

function readSignedOut(claims: JWTPayload): SignedOut {
  const { jti, sub, sid, events, nonce } = claims
  const event = isObject(events) ? events[EVENT] : undefined
  if (!isObject(event)) throw new Error('The token is not about a sign-out')
  // An ID token has a nonce, so none can be used as a token for signing out.
  if (nonce !== undefined) throw new Error('The token has a nonce')
  if (!isId(jti)) throw new Error('The token has no jti')
  if (!isId(sub) && !isId(sid)) throw new Error('The token has neither sub nor sid')
  return {
    subject: isId(sub) ? sub : undefined,
    sid: isId(sid) ? sid : undefined,
    token_id: jti,
  }
}

const isId = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= ID_MAX_CHARS
