/** Specification, "Authentication": the credentials of each operation, and the errors for others. */
import { describe, expect, it } from 'vitest'
import { useHarness } from '../harness.ts'
import { newEmail, newPhone } from '../support/samples.ts'

const harness = useHarness()

/** Operations with an API key, all of which require a secret key. */
const KEY_OPERATIONS = [
  ['POST', '/v1/check', { email: 'jane@gmail.com' }],
  ['POST', '/v1/check/bulk', { checks: [{ email: 'jane@gmail.com' }] }],
  ['GET', '/v1/check/0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07', undefined],
  ['GET', '/v1/check/sandbox', undefined],
  ['POST', '/v1/check/phone/report', { phone: '+4915112345678', outcome: 'spam' }],
  ['POST', '/v1/profiles', { external_id: 'customer-1' }],
  ['POST', '/v1/orders', { external_order_id: 'order-1', amount_cents: 4990 }],
  ['POST', '/v1/orders/bulk', { orders: [{ external_order_id: 'order-1', amount_cents: 4990 }] }],
] as const

const PORTAL_PATH = '/console/api/me'
const KEY_FORM = /^(sk|pk)_(live|test)_[A-Za-z0-9]+$/

const refused = (status: number, message: string) => ({ status, body: { success: false, message } })

describe.each(KEY_OPERATIONS)('%s %s', (method, path, body) => {
  const send = async (credential: { key?: string; token?: string }) =>
    await harness().call({ method, path, ...credential, ...(body && { body }) })

  it('reports a missing key', async () => {
    expect(await send({})).toMatchObject(refused(401, 'Missing X-API-Key header'))
    expect(await send({ key: '' })).toMatchObject(refused(401, 'Missing X-API-Key header'))
  })

  it('gives the same answer to unknown, malformed and revoked keys', async () => {
    const { keys, org_id } = await harness().createTenant()
    const other = await harness().services.keys.create(org_id, 'live_secret')
    await harness().services.keys.revoke(org_id, other?.key_id ?? '')
    const altered = keys.live_secret.slice(0, -1) + (keys.live_secret.endsWith('0') ? '1' : '0')
    const bad = [
      'nonsense',
      `${keys.live_secret} `.repeat(2),
      `sk_live_${'0'.repeat(38)}`,
      altered,
      keys.live_secret.replace('sk_live_', 'sk_test_'),
      'x'.repeat(5000),
      other?.key ?? '',
    ]
    for (const key of bad) {
      const answer = await send({ key })
      expect(answer).toMatchObject(refused(401, 'Invalid API key'))
      expect(answer.body).toEqual({ success: false, message: 'Invalid API key' })
    }
  })

  it('OP-39: requires a secret key and answers 403 to a public one', async () => {
    const { keys } = await harness().createTenant()
    for (const key of [keys.live_public, keys.test_public]) {
      expect((await send({ key })).status).toBe(403)
    }
    for (const key of [keys.live_secret, keys.test_secret]) {
      expect([200, 404]).toContain((await send({ key })).status)
    }
  })

  it('does not accept a portal token as a key', async () => {
    const { org_id } = await harness().createTenant()
    const token = await harness().signIn(org_id)
    expect(await send({ token })).toMatchObject(refused(401, 'Missing X-API-Key header'))
    expect(await send({ key: token })).toMatchObject(refused(401, 'Invalid API key'))
  })
})

describe('a portal route', () => {
  it('accepts a bearer token', async () => {
    const { org_id } = await harness().createTenant()
    const token = await harness().signIn(org_id)
    const { status, body } = await harness().get<{ organizations: unknown }>(PORTAL_PATH, { token })
    expect(status).toBe(200)
    expect(body.content.organizations).toMatchObject([{ id: org_id, role: 'owner' }])
  })

  it('does not accept an API key as a token', async () => {
    const { keys } = await harness().createTenant()
    const call = harness().call
    for (const key of Object.values(keys)) {
      expect((await call({ method: 'GET', path: PORTAL_PATH, key })).status).toBe(401)
      expect((await call({ method: 'GET', path: PORTAL_PATH, token: key })).status).toBe(401)
    }
  })

  it('reveals nothing about an invalid token', async () => {
    const token = await harness().signIn((await harness().createTenant()).org_id)
    const [head, claims, signature] = token.split('.')
    const none = Buffer.from('{"alg":"none"}').toString('base64url')
    for (const bad of [
      'x',
      `${head}.${claims}.`,
      `${none}.${claims}.`,
      `${head}.e30.${signature}`,
    ]) {
      const answer = await harness().call({ method: 'GET', path: PORTAL_PATH, token: bad })
      expect(answer).toMatchObject(refused(401, 'Invalid access token'))
    }
  })
})

describe('keys', () => {
  it('have the documented prefixes, which distinguish live from test', async () => {
    const { keys } = await harness().createTenant()
    expect(keys.live_secret).toMatch(/^sk_live_/)
    expect(keys.test_secret).toMatch(/^sk_test_/)
    expect(keys.live_public).toMatch(/^pk_live_/)
    expect(keys.test_public).toMatch(/^pk_test_/)
    for (const key of Object.values(keys)) expect(key).toMatch(KEY_FORM)
  })

  it('are shown once: the list of keys contains none', async () => {
    const { keys, org_id } = await harness().createTenant()
    const token = await harness().signIn(org_id)
    const path = `/console/api/keys?org_id=${org_id}`
    const { body } = await harness().call({ method: 'GET', path, token })
    expect(body.content).toHaveLength(4)
    for (const key of Object.values(keys)) expect(JSON.stringify(body)).not.toContain(key)
  })
})

describe('immediately on every node', () => {
  const second = useHarness()

  const statuses = async (key: string): Promise<number[]> => {
    const nodes = [harness(), second()]
    const request = { method: 'GET', path: '/v1/check/sandbox', key } as const
    return await Promise.all(nodes.map(async ({ call }) => (await call(request)).status))
  }

  const keyId = async (orgId: string, token: string): Promise<string> => {
    const path = `/console/api/keys?org_id=${orgId}`
    type Key = { key_id: string; type: string }
    const { body } = await harness().call<Key[]>({ method: 'GET', path, token })
    return body.content.find(({ type }) => type === 'live_secret')?.key_id ?? ''
  }

  it('a revoked key stops working', async () => {
    const { org_id, keys } = await harness().createTenant()
    const token = await harness().signIn(org_id)
    expect(await statuses(keys.live_secret)).toEqual([200, 200])
    const body = { org_id, key_id: await keyId(org_id, token) }
    await harness().call({ method: 'POST', path: '/console/api/keys/revoke', token, body })
    expect(await statuses(keys.live_secret)).toEqual([401, 401])
    expect(await statuses(keys.test_secret)).toEqual([200, 200])
  })

  it('a rolled key is replaced, and both never work at the same time', async () => {
    const { org_id, keys } = await harness().createTenant()
    const token = await harness().signIn(org_id)
    expect(await statuses(keys.live_secret)).toEqual([200, 200])
    const body = { org_id, key_id: await keyId(org_id, token) }
    const path = '/console/api/keys/roll'
    const rolled = await second().call<{ key: string }>({ method: 'POST', path, token, body })
    expect(await statuses(keys.live_secret)).toEqual([401, 401])
    expect(rolled.body.content.key).toMatch(/^sk_live_/)
    expect(await statuses(rolled.body.content.key)).toEqual([200, 200])
  })

  it('a new key works', async () => {
    const { org_id } = await second().createTenant()
    const created = await second().services.keys.create(org_id, 'test_secret')
    expect(await statuses(created?.key ?? '')).toEqual([200, 200])
  })

  it('one node reads the checks of another', async () => {
    const { keys } = await harness().createTenant()
    const key = keys.live_secret
    const body = { email: newEmail(), phone: newPhone() }
    const checked = await harness().call({ method: 'POST', path: '/v1/check', key, body })
    const path = `/v1/check/${checked.body.content.check_id}`
    expect((await second().call({ method: 'GET', path, key })).body).toEqual(checked.body)
  })
})

describe('operations with an API key', () => {
  it('all have a scope, without which limited keys could not call them', () => {
    const routes = harness().app.declaredRoutes.filter(
      ({ config }) => config?.access === 'secret_key' || config?.access === 'any_key',
    )
    const unscoped = routes.filter(({ config }) => config?.scope === undefined)
    expect(routes.length).toBeGreaterThan(KEY_OPERATIONS.length)
    expect(unscoped.map(({ url }) => url)).toEqual([])
  })
})
