import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto'
import { SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { ASSERTION_MAX_CHARS, type Audience, signAssertion, verifyAssertion } from './assertion.ts'

const NOW = new Date('2026-03-02T10:15:00.400Z')
const KID = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'
const AUDIENCE: Audience = {
  org_id: '0198c3a2-0000-7c3d-9a54-3f2b8e6d1c01',
  application_id: '0198c3a2-0000-7c3d-9a54-3f2b8e6d1c02',
  environment: 'live',
}
const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const stranger = generateKeyPairSync('ed25519')
const CLAIMS = { external_user_id: 'user ✓', jti: randomUUID(), now: NOW }
const findKey = (id: string): Promise<KeyObject | undefined> =>
  Promise.resolve(id === KID ? publicKey : undefined)

const signed = async (change: Partial<Audience> = {}) =>
  (await signAssertion({ id: KID, private_key: privateKey }, { ...AUDIENCE, ...change }, CLAIMS))
    .token
const verified = async (token: string, now = NOW, audience = AUDIENCE) =>
  await verifyAssertion(token, audience, { findKey, now })

type Forgery = { header?: object; claims?: object; key?: KeyObject | Uint8Array }
async function forged({ header = {}, claims = {}, key = privateKey }: Forgery): Promise<string> {
  const iat = Math.floor(NOW.getTime() / 1000)
  return await new SignJWT({
    iss: 'vigil',
    aud: AUDIENCE.application_id,
    sub: 'user',
    jti: randomUUID(),
    iat,
    exp: iat + 300,
    environment: 'live',
    org_id: AUDIENCE.org_id,
    ...claims,
  })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'vigil-push-identity+jwt', kid: KID, ...header })
    .sign(key)
}
const shifted = (ms: number) => new Date(NOW.getTime() + ms)
const payloadOf = (token: string) =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<
    string,
    unknown
  >

describe('an assertion', () => {
  it('proves the user to the application', async () => {
    expect(await verified(await signed())).toEqual({
      external_user_id: 'user ✓',
      jti: CLAIMS.jti,
      expires_at: new Date('2026-03-02T10:20:00.000Z'),
    })
  })

  it('is valid for five minutes and not a second longer', async () => {
    const token = await signed()
    const { iat, exp } = payloadOf(token)
    expect(Number(exp) - Number(iat)).toBe(300)
    expect(await verified(token, new Date('2026-03-02T10:19:59.999Z'))).toBeDefined()
    expect(await verified(token, new Date('2026-03-02T10:20:00.000Z'))).toBeUndefined()
    expect(await verified(token, shifted(86_400_000))).toBeUndefined()
  })

  it.each<[string, Partial<Audience>]>([
    ['application', { application_id: randomUUID() }],
    ['environment', { environment: 'test' }],
    ['organization', { org_id: randomUUID() }],
  ])('for another %s proves nothing', async (_, change) => {
    expect(await verified(await signed(change))).toBeUndefined()
  })

  it('with the longest possible id is not too long', async () => {
    const external_user_id = '\u0001'.repeat(512)
    const key = { id: KID, private_key: privateKey }
    const { token } = await signAssertion(key, AUDIENCE, { ...CLAIMS, external_user_id })
    expect(await verified(token)).toMatchObject({ external_user_id })
  })
})

describe('a forged assertion', () => {
  it('would be accepted if it were correct', async () => {
    expect(await verified(await forged({}))).toMatchObject({ external_user_id: 'user' })
  })

  it.each<[string, Forgery]>([
    ['an ordinary JWT', { header: { typ: 'JWT' } }],
    ['an access token', { header: { typ: 'at+jwt' } }],
    ['one without a type', { header: { typ: undefined } }],
    ['one without a key id', { header: { kid: undefined } }],
    ['one of an unknown key', { header: { kid: randomUUID() } }],
    ['one from another issuer', { claims: { iss: 'other' } }],
    ['one without an audience', { claims: { aud: undefined } }],
    ['one without an environment', { claims: { environment: undefined } }],
    ['one without an organization', { claims: { org_id: undefined } }],
    ['one without a user', { claims: { sub: undefined } }],
    ['one with a blank user', { claims: { sub: '' } }],
    ['one without an id', { claims: { jti: undefined } }],
    ['one whose id is not a UUID', { claims: { jti: 'x' } }],
    ['one without an expiration', { claims: { exp: undefined } }],
    ['one without an issue time', { claims: { iat: undefined } }],
    ['one signed by another key', { key: stranger.privateKey }],
    [
      'one whose secret is our public key',
      {
        header: { alg: 'HS256' },
        key: publicKey.export({ type: 'spki', format: 'der' }),
      },
    ],
    [
      'one of another algorithm',
      {
        header: { alg: 'ES256' },
        key: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
      },
    ],
  ])('%s proves nothing', async (_, forgery) => {
    expect(await verified(await forged(forgery))).toBeUndefined()
  })

  it('without a signature proves nothing', async () => {
    const [, body = ''] = (await forged({})).split('.')
    const none = { alg: 'none', typ: 'vigil-push-identity+jwt', kid: KID }
    const head = Buffer.from(JSON.stringify(none)).toString('base64url')
    for (const token of [`${head}.${body}.`, new UnsecuredJWT(payloadOf(`.${body}`)).encode()]) {
      expect(await verified(token)).toBeUndefined()
    }
  })

  it('with another user in it proves nothing', async () => {
    const token = await signed()
    const [head = '', , signature = ''] = token.split('.')
    const body = { ...payloadOf(token), sub: 'another user' }
    const changed = Buffer.from(JSON.stringify(body)).toString('base64url')
    expect(await verified([head, changed, signature].join('.'))).toBeUndefined()
  })

  it.each(['', 'x', 'a.b.c', 'a.b', '....', 'user_8841', '{"sub":"user"}', ' '])(
    'that is no token at all, %j, proves nothing',
    async (text) => {
      expect(await verified(text)).toBeUndefined()
    },
  )

  it('does not look up a key for an invalid key id', async () => {
    const requested: string[] = []
    const ask = async (token: string) =>
      await verifyAssertion(token, AUDIENCE, {
        findKey: (id) => {
          requested.push(id)
          return Promise.resolve(publicKey)
        },
        now: NOW,
      })
    const hs256 = { header: { alg: 'HS256' }, key: Buffer.alloc(32) }
    expect(await ask(await forged({ header: { kid: "x' or 1=1" } }))).toBeUndefined()
    expect(await ask(await forged(hs256))).toBeUndefined()
    expect(await ask(`${await forged({})}${'A'.repeat(ASSERTION_MAX_CHARS)}`)).toBeUndefined()
    expect(requested).toEqual([])
  })
})
