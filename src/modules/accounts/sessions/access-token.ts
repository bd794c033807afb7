/**
 * Access tokens: signed and short-lived. They name the user and the session; whether the session
 * continues, and what the user may do, is read from the database with every request.
 */
import { createSecretKey } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'

export type AccessClaims = { user_id: string; session_id: string }

export type AccessTokens = {
  sign(
    claims: AccessClaims,
    times: { token_id: string; now: Date; expires_at: Date },
  ): Promise<string>
  /** @returns undefined unless the token was signed here and is valid at `now` */
  verify(token: string, now: Date): Promise<AccessClaims | undefined>
}

/** The issuer is the only verifier, so a shared secret is sufficient (RFC 8725, 3.1). */
const ALGORITHM = 'HS256'
const TYPE = 'at+jwt'
const ISSUER = 'vigil'
const AUDIENCE = 'vigil-portal'
const SECRET_BYTES_MIN = 32

/** @param secret at least 32 bytes, the same on every node */
export function createAccessTokens(secret: Buffer): AccessTokens {
  if (secret.length < SECRET_BYTES_MIN) throw new Error('The secret of access tokens is too short')
  const key = createSecretKey(secret)
  return {
    sign: async ({ user_id, session_id }, { token_id, now, expires_at }) =>
      await new SignJWT({ sid: session_id })
        .setProtectedHeader({ alg: ALGORITHM, typ: TYPE })
        .setSubject(user_id)
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setIssuedAt(now)
        .setExpirationTime(expires_at)
        .setJti(token_id)
        .sign(key),
    verify: async (token, now) => {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: [ALGORITHM],
          typ: TYPE,
          issuer: ISSUER,
          audience: AUDIENCE,
          requiredClaims: ['sub', 'sid', 'iat', 'exp', 'jti'],
          currentDate: now,
        })
        const { sub, sid } = payload
        if (sub === undefined || typeof sid !== 'string') return undefined
        return { user_id: sub, session_id: sid }
      } catch (error) {
        if (error instanceof errors.JOSEError) return undefined
        throw error
      }
    },
  }
}
