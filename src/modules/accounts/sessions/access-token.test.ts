import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import * as fc from 'fast-check'
import { SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { createAccessTokens } from './access-token.ts'

const secret = Buffer.alloc(32, 1)
const tokens = createAccessTokens(secret)
const claims = { user_id: 'user', session_id: 'session' }
const now = new Date('2030-01-01T00:00:00Z')
const expires_at = new Date('2030-01-01T00:15:00Z')
const signed = async () => await tokens.sign(claims, { token_id: 'id', now, expires_at })

/** A valid token except for the given changes. */
async function forged(
  changes: Record<string, unknown>,
  header: { alg: string; typ?: string } = { alg: 'HS256', typ: 'at+jwt' },
  key: Parameters<SignJWT['sign']>[0] = createSecretKey(secret),
): Promise<string> {
  const payload = { sub: 'user', sid: 'session', iss: 'vigil', aud: 'vigil-portal', jti: 'id' }
  const times = { iat: now.getTime() / 1000, exp: expires_at.getTime() / 1000 }
  return await new SignJWT({ ...payload, ...times, ...changes })
    .setProtectedHeader(header)
    .sign(key)
}

describe('access tokens', () => {
  it('identify the user until the moment they expire', async () => {
    const token = await signed()
    expect(await tokens.verify(token, now)).toEqual(claims)
    expect(await tokens.verify(token, new Date(expires_at.getTime() - 1))).toEqual(claims)
    expect(await tokens.verify(token, expires_at)).toBeUndefined()
  })

  it('contain a fixed set of claims, and no role', async () => {
    const payload = (await signed()).split('.').at(1) ?? ''
    expect(JSON.parse(Buffer.from(payload, 'base64url').toString())).toEqual({
      sub: 'user',
      sid: 'session',
      iss: 'vigil',
      aud: 'vigil-portal',
      jti: 'id',
      iat: now.getTime() / 1000,
      exp: expires_at.getTime() / 1000,
    })
  })

  it('are refused with another secret, type, issuer, audience, or without a claim', async () => {
    expect(await tokens.verify(await forged({}), now)).toEqual(claims)
    const missing = ['sub', 'sid', 'iss', 'aud', 'jti', 'iat', 'exp']
    const bad = [
      forged({}, { alg: 'HS256', typ: 'at+jwt' }, createSecretKey(Buffer.alloc(32, 2))),
      forged({}, { alg: 'HS256', typ: 'JWT' }),
      forged({}, { alg: 'HS256' }),
      forged({ iss: 'another' }),
      forged({ aud: 'another' }),
      forged({ sid: 1 }),
      ...missing.map((claim) => forged({ [claim]: undefined })),
    ]
    for (const token of bad) expect(await tokens.verify(await token, now)).toBeUndefined()
  })

  it('are refused with any other algorithm', async () => {
    const { privateKey } = generateKeyPairSync('ed25519')
    const long = createSecretKey(Buffer.alloc(64, 1))
    const unsigned = new UnsecuredJWT({ sub: 'user', sid: 'session' })
      .setIssuer('vigil')
      .setAudience('vigil-portal')
      .setIssuedAt(now)
      .setExpirationTime(expires_at)
      .setJti('id')
      .encode()
    const bad = [
      await forged({}, { alg: 'EdDSA', typ: 'at+jwt' }, privateKey),
      await forged({}, { alg: 'HS512', typ: 'at+jwt' }, long),
      unsigned,
    ]
    for (const token of bad) expect(await tokens.verify(token, now)).toBeUndefined()
  })

  it('are refused when malformed, without an exception', async () => {
    const [head = '', body = '', tail = ''] = (await signed()).split('.')
    const part = fc.oneof(fc.constantFrom(head, body, tail, ''), fc.string(), fc.base64String())
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
        const token = parts.join('.')
        fc.pre(token !== [head, body, tail].join('.'))
        expect(await tokens.verify(token, now)).toBeUndefined()
      }),
    )
  })

  it('cannot be created with a short secret', () => {
    expect(() => createAccessTokens(Buffer.alloc(31))).toThrow('too short')
  })
})
