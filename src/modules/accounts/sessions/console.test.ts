import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'

const START = new Date('2031-01-01T00:00:00Z').getTime()
const PASSWORD = 'correct horse battery'
let now = START
const clock = { now: () => new Date(now) }
const hosts = { VIGIL_ALLOWED_HOSTS: 'vigil.test' }
const harness = useHarness({ clock, settings: { ...hosts, VIGIL_TRUSTED_PROXIES: '192.0.2.1' } })
const published = useHarness({
  clock,
  settings: { ...hosts, VIGIL_PUBLIC_URL: 'https://vigil.example/' },
})

type Sent = {
  headers?: Record<string, string>
  cookie?: string | undefined
  body?: object
  remoteAddress?: string
  from?: typeof harness
}
type Content = { access_token: string; refresh_token?: string; expires_at: string }

const OWN = { 'x-vigil-console': '1' }
let networks = 0

async function post(path: string, { headers = OWN, cookie, body = {}, ...sent }: Sent = {}) {
  networks += 1
  const answer = await (sent.from ?? harness)().app.inject({
    method: 'POST',
    url: `/console/api/auth/${path}`,
    remoteAddress: sent.remoteAddress ?? `198.51.100.${networks}`,
    headers: { host: 'vigil.test:8080', ...headers, ...(cookie !== undefined && { cookie }) },
    payload: body,
  })
  const [set] = [answer.headers['set-cookie'] ?? []].flat()
  const { content } = answer.json<{ content: Content }>()
  return { status: answer.statusCode, content, set, cookie: set?.split(';')[0] }
}

async function newUser(): Promise<string> {
  const { accounts } = harness().services
  const email = `${harness().stores.newId(new Date())}@example.com`
  await accounts.createUser({ email, password: PASSWORD })
  return email
}

const signIn = async (sent: Sent = {}) =>
  await post('login', {
    body: { email: await newUser(), password: PASSWORD, cookie: true },
    ...sent,
  })

describe('sessions of the console in a cookie', () => {
  it('hide the refresh token from scripts, other paths and other sites', async () => {
    const { status, content, set } = await signIn()
    expect(status).toBe(200)
    expect(Object.keys(content).toSorted()).toEqual(['access_token', 'expires_at'])
    const [token, ...attributes] = set?.split('; ') ?? []
    expect(token).toMatch(/^vigil_refresh=vrt_[0-9A-Za-z]{38}$/)
    expect(attributes.toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=2592000',
      'Path=/console/api/auth',
      'SameSite=Strict',
    ])
  })

  it('use a TLS-only cookie when the service is reached over TLS', async () => {
    const forwarded = { ...OWN, 'x-forwarded-proto': 'https', 'x-forwarded-for': '198.51.100.1' }
    const proxied = { headers: forwarded, remoteAddress: '192.0.2.1' }
    for (const sent of [proxied, { from: published }]) {
      const { set, cookie } = await signIn(sent)
      expect(set).toMatch(/^__Secure-vigil_refresh=.*; Secure/)
      expect((await post('refresh', { ...sent, cookie })).status).toBe(200)
      const bare = cookie?.replace('__Secure-', '')
      expect((await post('refresh', { ...sent, cookie: bare })).status).toBe(401)
    }
    const untrusted = await signIn({ headers: forwarded, remoteAddress: '192.0.2.2' })
    expect(untrusted.set).toMatch(/^vigil_refresh=/)
  })

  it('continue with the cookie alone, which changes with each refresh', async () => {
    const first = await signIn()
    const second = await post('refresh', first)
    expect(second.status).toBe(200)
    expect(Object.keys(second.content).toSorted()).toEqual(['access_token', 'expires_at'])
    expect(second.cookie).toMatch(/^vigil_refresh=vrt_/)
    expect(second.cookie).not.toBe(first.cookie)
    expect((await post('refresh', { cookie: second.cookie })).status).toBe(200)
  })

  it('survive two tabs that refresh together, and end when a used cookie is sent later', async () => {
    const { cookie } = await signIn()
    const tabs = await Promise.all([post('refresh', { cookie }), post('refresh', { cookie })])
    expect(tabs.map(({ status }) => status)).toEqual([200, 200])
    const next = tabs.map((tab) => tab.cookie)
    now += 10_000
    const late = await post('refresh', { cookie })
    expect(late.status).toBe(401)
    expect(late.set).toMatch(/^vigil_refresh=;.*Expires=Thu, 01 Jan 1970/)
    for (const tab of next) expect((await post('refresh', { cookie: tab })).status).toBe(401)
  })

  it('end with a sign-out, which clears the cookie', async () => {
    const { cookie } = await signIn()
    const out = await post('logout', { cookie })
    expect(out.status).toBe(200)
    expect(out.set).toMatch(/^vigil_refresh=;.*Path=\/console\/api\/auth/)
    expect((await post('refresh', { cookie })).status).toBe(401)
    expect((await post('logout')).status).toBe(200)
  })

  it('do not exist without a cookie', async () => {
    for (const cookie of [undefined, 'vigil_refresh=', 'vigil_refresh=x', 'other=1']) {
      expect((await post('refresh', { cookie })).status).toBe(401)
    }
  })

  it.each([
    ['requests without the console’s header', {}],
    ['other sites', { ...OWN, 'sec-fetch-site': 'cross-site' }],
    ['other origins', { ...OWN, origin: 'http://evil.test' }],
  ])('are refused to %s, and nothing changes', async (_, headers) => {
    const { cookie } = await signIn()
    for (const path of ['refresh', 'logout']) {
      const refused = await post(path, { cookie, headers })
      expect(refused.status).toBe(403)
      expect(refused.set).toBeUndefined()
    }
    expect((await signIn({ headers })).status).toBe(403)
    now += 10_000
    const own = { ...OWN, 'sec-fetch-site': 'same-origin', origin: 'http://vigil.test:8080' }
    expect((await post('refresh', { cookie, headers: own })).status).toBe(200)
  })

  it('also work for pages under the public URL', async () => {
    const headers = { ...OWN, origin: 'https://vigil.example' }
    expect((await signIn({ headers, from: published })).status).toBe(200)
    expect((await signIn({ headers })).status).toBe(403)
  })

  it('can be refreshed by many users behind one address', async () => {
    const remoteAddress = '203.0.113.9'
    const { cookie } = await signIn()
    for (let n = 0; n < 12; n += 1) {
      expect((await post('refresh', { cookie, remoteAddress })).status).toBe(200)
    }
  })
})

describe('sessions of programs', () => {
  it('receive both tokens and no cookie, and need no header', async () => {
    const body = { email: await newUser(), password: PASSWORD }
    const { content, set } = await post('login', { headers: {}, body })
    expect(set).toBeUndefined()
    const { refresh_token } = content
    const next = await post('refresh', { headers: {}, body: { refresh_token } })
    expect(next.content.refresh_token).toMatch(/^vrt_/)
    expect(next.set).toBeUndefined()
    const used = { refresh_token: next.content.refresh_token }
    expect((await post('logout', { headers: {}, body: used })).set).toBeUndefined()
    expect((await post('refresh', { headers: {}, body: used })).status).toBe(401)
  })
})

describe('an access token', () => {
  const me = async (token: string) =>
    (await harness().call({ method: 'GET', path: '/console/api/me', token })).status

  it('is refused immediately after a sign-out', async () => {
    const { cookie, content } = await signIn()
    expect(await me(content.access_token)).toBe(200)
    await post('logout', { cookie })
    expect(await me(content.access_token)).toBe(401)
  })

  it('is refused immediately after a theft was detected', async () => {
    const { cookie, content } = await signIn()
    const { content: next } = await post('refresh', { cookie })
    now += 10_000
    expect((await post('refresh', { cookie })).status).toBe(401)
    for (const { access_token } of [content, next]) expect(await me(access_token)).toBe(401)
  })

  it('is refused immediately after a new password, except in the session that set it', async () => {
    const email = await newUser()
    const sent = { body: { email, password: PASSWORD, cookie: true } }
    const [here, elsewhere] = [await post('login', sent), await post('login', sent)]
    const changed = await harness().call({
      method: 'POST',
      path: '/console/api/me/password',
      token: here.content.access_token,
      body: { current: PASSWORD, next: 'another horse battery' },
    })
    expect(changed.status).toBe(200)
    expect(await me(elsewhere.content.access_token)).toBe(401)
    expect(await me(here.content.access_token)).toBe(200)
    await harness().services.accounts.setPassword(await idOf(email))
    expect(await me(here.content.access_token)).toBe(401)
  })

  const idOf = async (email: string) =>
    (await harness().services.accounts.listUsers(email))[0]?.id ?? ''
})

describe('the signed-in user', () => {
  it('is shown with e-mail and organizations, their plans and the roles there', async () => {
    const { org_id } = await harness().createTenant('business')
    const token = await harness().signIn(org_id, 'admin')
    const { body } = await harness().call({ method: 'GET', path: '/console/api/me', token })
    expect(body.content).toMatchObject({
      email: expect.stringMatching(/@vigil\.test$/) as string,
      organizations: [{ id: org_id, name: 'Test shop', plan: 'business', role: 'admin' }],
    })
  })
})
