import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { startHttp } from '../../../../emulators/http-server.ts'
import { createPushVerifier } from './push-token.ts'

const START = new Date('2026-03-01T12:00:00Z')
const AUDIENCE = 'https://vigil.example/hooks/android-management'
const ACCOUNT = 'push@example-project.iam.gserviceaccount.com'

type Pair = { kid: string; privateKey: KeyObject; publicKey: KeyObject }
const pair = (kid: string): Pair => ({
  kid,
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }),
})
const [ours, other] = [pair('one'), pair('two')]

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanUp) => cleanUp()))
})

async function setUp() {
  const world = { now: START, published: [ours], is_down: false }
  const http = await startHttp({
    port: 0,
    host: '127.0.0.1',
    handle: async () => {
      if (world.is_down) return { status: 503 }
      const keys = await Promise.all(
        world.published.map(async ({ kid, publicKey }) => ({
          ...(await exportJWK(publicKey)),
          kid,
          alg: 'RS256',
          use: 'sig',
        })),
      )
      return { status: 200, body: { keys } }
    },
  })
  cleanups.push(http.close)
  const verify = createPushVerifier({
    jwks_url: `${http.url}/certs`,
    audience: AUDIENCE,
    account: ACCOUNT,
    now: () => world.now,
    timeout_ms: 2000,
  })
  return { world, verify, requests: http.requests }
}

const NOW_S = START.getTime() / 1000
type Claims = Record<string, unknown>

const CLAIMS: Claims = {
  iss: 'https://accounts.google.com',
  aud: AUDIENCE,
  email: ACCOUNT,
  email_verified: true,
  iat: NOW_S,
  exp: NOW_S + 3600,
}

async function bearer(claims: Claims = {}, by: Pair = ours, alg = 'RS256'): Promise<string> {
  const token = new SignJWT({ ...CLAIMS, ...claims }).setProtectedHeader({
    alg,
    kid: by.kid,
  })
  return `Bearer ${await token.sign(by.privateKey)}`
}

describe('the token on a pushed notification', () => {
  it.each(['https://accounts.google.com', 'accounts.google.com'])(
    'is valid from the issuer %s',
    async (iss) => {
      const { verify, requests } = await setUp()
      expect(await verify(await bearer({ iss }))).toBe(true)
      expect(await verify(await bearer({ iss }))).toBe(true)
      expect(requests).toHaveLength(1)
    },
  )

  it.each<[string, Claims]>([
    ['another issuer', { iss: 'https://accounts.google.example' }],
    ['another audience', { aud: 'https://other.example' }],
    ['another account', { email: 'someone@example.com' }],
    ['no account', { email: undefined }],
    ['an unverified account', { email_verified: false }],
    ['an expiry in the past', { iat: NOW_S - 7200, exp: NOW_S - 3600 }],
    ['no expiry', { exp: undefined }],
  ])('is invalid with %s', async (_, claims) => {
    const { verify } = await setUp()
    expect(await verify(await bearer(claims))).toBe(false)
    expect(await verify(await bearer())).toBe(true)
  })

  it('is invalid with the signature of another key, or without a signature', async () => {
    const { verify } = await setUp()
    expect(await verify(await bearer({}, { ...other, kid: 'one' }))).toBe(false)
    expect(await verify(await bearer({}, ours, 'PS256'))).toBe(false)
    const [header, body] = (await bearer()).split('.')
    expect(await verify(`${header}.${body}.`)).toBe(false)
    for (const odd of [undefined, '', 'Bearer', 'Basic eDp5', `Bearer ${'a.'.repeat(9000)}`]) {
      expect(await verify(odd)).toBe(false)
    }
  })

  it('is verified by new keys of Google, which are fetched at most every 30 seconds', async () => {
    const { world, verify, requests } = await setUp()
    await verify(await bearer())
    world.published = [other]
    const rotated = await bearer({}, other)
    expect(await verify(rotated)).toBe(false)
    expect(requests).toHaveLength(1)
    world.now = new Date(START.getTime() + 30_000)
    expect(await verify(rotated)).toBe(true)
    expect(requests).toHaveLength(2)
    expect(await verify(await bearer())).toBe(false)
    expect(requests).toHaveLength(2)
  })

  it('is verified by the cached keys while Google returns none', async () => {
    const { world, verify } = await setUp()
    await verify(await bearer())
    world.is_down = true
    world.now = new Date(START.getTime() + 3_600_000)
    expect(await verify(await bearer({ exp: NOW_S + 7200 }))).toBe(true)
  })

  it('is invalid while no keys are available', async () => {
    const { world, verify } = await setUp()
    world.is_down = true
    expect(await verify(await bearer())).toBe(false)
  })
})
