import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type CamaraEmulator, type CamaraScenario, startCamara } from './camara.ts'

const NOW = new Date('2026-02-01T12:00:00.000Z')
const CLAIMS = { iss: 'jwt-app', sub: 'jwt-app', jti: 'unique' }

const scenario: CamaraScenario = {
  clients: [{ client_id: 'app', client_secret: 'p:a s+s%' }],
  phones: { '+34666': { activated: 20_000 } },
}

let camara: CamaraEmulator
let now = NOW

beforeAll(async () => {
  camara = await startCamara({ port: 0, scenario, now: () => now })
})

beforeEach(() => {
  now = NOW
  camara.setScenario(scenario)
})

afterAll(() => camara.close())

const formEncode = (text: string) => new URLSearchParams({ a: text }).toString().slice(2)

const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${formEncode(id)}:${formEncode(secret)}`).toString('base64')}`

async function token(form: Record<string, string>, authorization?: string) {
  const response = await fetch(camara.token_url, {
    method: 'POST',
    headers: authorization === undefined ? {} : { authorization },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope: 'openid dpv:FraudPreventionAndDetection sim-swap:check',
      ...form,
    }),
  })
  const body = (await response.json()) as Record<string, unknown>
  return { status: response.status, body, headers: response.headers }
}

async function checkStatus(accessToken: unknown): Promise<number> {
  const response = await fetch(`${camara.sim_swap_url}/check`, {
    method: 'POST',
    headers: { authorization: `Bearer ${String(accessToken)}` },
    body: '{"phoneNumber":"+34666"}',
  })
  return response.status
}

describe('client secrets', () => {
  test('client_secret_basic gets a token that the API accepts until it expires', async () => {
    const issued = await token({}, basic('app', 'p:a s+s%'))
    expect(issued).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 300 } })
    expect(issued.headers.get('cache-control')).toBe('no-store')
    expect(await checkStatus(issued.body['access_token'])).toBe(200)
    now = new Date(NOW.getTime() + 300_000)
    expect(await checkStatus(issued.body['access_token'])).toBe(401)
  })

  test('client_secret_post gets a token', async () => {
    const issued = await token({ client_id: 'app', client_secret: 'p:a s+s%' })
    expect(issued.status).toBe(200)
  })

  test('a revoked token is refused', async () => {
    const issued = await token({}, basic('app', 'p:a s+s%'))
    camara.revokeTokens()
    expect(await checkStatus(issued.body['access_token'])).toBe(401)
  })

  test('a wrong secret is invalid_client, with a challenge if Basic was used', async () => {
    const byHeader = await token({}, basic('app', 'wrong'))
    expect(byHeader).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(byHeader.headers.get('www-authenticate')).toContain('Basic')
    const byForm = await token({ client_id: 'app', client_secret: 'wrong' })
    expect(byForm).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect(byForm.headers.get('www-authenticate')).toBeNull()
  })

  test.each([
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ scope: '' }, 'invalid_scope'],
    [{ scope: 'sim-swap admin' }, 'invalid_scope'],
  ])('%j is refused as %s', async (form, error) => {
    const answer = await token(form, basic('app', 'p:a s+s%'))
    expect(answer).toMatchObject({ status: 400, body: { error } })
  })

  test('two purposes in one request are an invalid scope', async () => {
    const scopes = ['sim-swap', 'dpv:FraudPreventionAndDetection', 'dpv:Marketing']
    const clients = [{ client_id: 'app', client_secret: 's', scopes }]
    camara.setScenario({ ...scenario, clients })
    expect((await token({ scope: scopes.join(' ') }, basic('app', 's'))).status).toBe(400)
    expect((await token({ scope: 'sim-swap dpv:Marketing' }, basic('app', 's'))).status).toBe(200)
  })
})

describe('private_key_jwt', () => {
  test('a signed assertion gets a token, once', async () => {
    const sign = await newClientKey()
    const assertion = await sign(CLAIMS)
    expect((await withAssertion(assertion)).status).toBe(200)
    expect((await withAssertion(assertion)).body).toEqual({ error: 'invalid_client' })
  })

  test.each([
    ['another audience', { ...CLAIMS, jti: '1', aud: 'https://other.example/token' }],
    ['another subject', { ...CLAIMS, jti: '2', sub: 'other-app' }],
    ['no identifier', { iss: 'jwt-app', sub: 'jwt-app' }],
    ['an expiry in the past', { ...CLAIMS, jti: '3', exp: 1_000 }],
    ['too long a lifetime', { ...CLAIMS, jti: '4', exp: 4_000_000_000 }],
    ['an unknown issuer', { ...CLAIMS, jti: '5', iss: 'unknown', sub: 'unknown' }],
  ])('an assertion with %s is refused', async (_, claims) => {
    const sign = await newClientKey()
    const answer = await withAssertion(await sign(claims))
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
  })

  test('an assertion of another key is refused', async () => {
    const foreign = await newClientKey()
    const assertion = await foreign({ ...CLAIMS, jti: '6' })
    await newClientKey()
    expect((await withAssertion(assertion)).status).toBe(401)
  })

  test('an assertion that is not a JWT is refused', async () => {
    await newClientKey()
    expect((await withAssertion('not.a.jwt')).status).toBe(401)
  })
})

/** Registers a client with a new key and returns a function that signs its assertions. */
async function newClientKey() {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), alg: 'ES256' }
  camara.setScenario({ ...scenario, clients: [{ client_id: 'jwt-app', public_keys: [jwk] }] })
  return (claims: Record<string, unknown>) => {
    const seconds = Math.floor(NOW.getTime() / 1_000)
    const payload = { aud: camara.token_url, iat: seconds, exp: seconds + 60, ...claims }
    return new SignJWT(payload).setProtectedHeader({ alg: 'ES256' }).sign(privateKey)
  }
}

const withAssertion = (assertion: string) =>
  token({
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: assertion,
  })
