/**
 * Identity assertions: signed tokens that a customer's backend hands to its app to prove which user has
 * signed in (OP-96). Each is valid for one application in one environment.
 */
import type { KeyObject } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { isUuid } from '../../../platform/ids.ts'
import type { Mode } from '../../../platform/owner.ts'

/** Application for which an assertion is valid. */
export type Audience = { org_id: string; application_id: string; environment: Mode }
export type Assertion = { external_user_id: string; jti: string; expires_at: Date }

export const ASSERTION_SECONDS = 300

/** The algorithm is fixed and never taken from the token (RFC 8725, section 3.1). */
const ALGORITHM = 'EdDSA'
const TYPE = 'vigil-push-identity+jwt'
const ISSUER = 'vigil'
/** A user id has at most 512 characters, each at most six bytes in JSON; base64 adds a third. */
export const ASSERTION_MAX_CHARS = 8192

export async function signAssertion(
  { id, private_key }: { id: string; private_key: KeyObject },
  { org_id, application_id, environment }: Audience,
  { external_user_id, jti, now }: { external_user_id: string; jti: string; now: Date },
): Promise<{ token: string; expires_at: Date }> {
  const iat = Math.floor(now.getTime() / 1000)
  const exp = iat + ASSERTION_SECONDS
  const token = await new SignJWT({ environment, org_id })
    .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: id })
    .setIssuer(ISSUER)
    .setAudience(application_id)
    .setSubject(external_user_id)
    .setIssuedAt(iat)
    .setExpirationTime(exp)
    .setJti(jti)
    .sign(private_key)
  return { token, expires_at: new Date(exp * 1000) }
}

/**
 * @param findKey finds a public key by `kid`
 * @returns undefined unless the token is an assertion of Vigil for this audience, valid at `now`
 */
export async function verifyAssertion(
  token: string,
  { org_id, application_id, environment }: Audience,
  { findKey, now }: { findKey: (id: string) => Promise<KeyObject | undefined>; now: Date },
): Promise<Assertion | undefined> {
  if (token.length > ASSERTION_MAX_CHARS) return undefined
  const keyOf = async ({ kid }: { kid?: string }) => {
    const key = kid !== undefined && isUuid(kid) ? await findKey(kid) : undefined
    if (!key) throw new errors.JWKSNoMatchingKey()
    return key
  }
  try {
    const { payload } = await jwtVerify(token, keyOf, {
      algorithms: [ALGORITHM],
      typ: TYPE,
      issuer: ISSUER,
      audience: application_id,
      requiredClaims: ['sub', 'iat', 'exp', 'jti'],
      currentDate: now,
    })
    const { sub = '', jti = '', exp = 0 } = payload
    if (payload['org_id'] !== org_id || payload['environment'] !== environment) return undefined
    if (!isUuid(jti) || sub === '') return undefined
    return { external_user_id: sub, jti, expires_at: new Date(exp * 1000) }
  } catch (error) {
    if (error instanceof errors.JOSEError) return undefined
    throw error
  }
}
