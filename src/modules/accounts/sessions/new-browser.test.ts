import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { DAY_MS, MINUTE_MS } from '../../../platform/time-units.ts'
import { KNOWN_BROWSERS_MAX, rememberBrowser } from './browsers.store.ts'

const START = new Date('2031-01-01T00:00:00Z').getTime()
const PASSWORD = 'correct horse battery staple'
let now = START
const harness = useHarness({
  clock: { now: () => new Date(now) },
  settings: {
    VIGIL_SESSION_IDLE_MINUTES: '30',
    VIGIL_SESSION_DAYS: '2',
    VIGIL_RATE_LIMIT_SIGN_IN: '1000/60',
  },
})

type Content = { access_token: string; refresh_token?: string; expires_at: string }
type Login = { agent?: string; cookie?: string; from?: string; isPage?: boolean }

async function newUser() {
  const { accounts } = harness().services
  const { org_id } = await harness().createTenant()
  const email = `${harness().stores.newId(new Date())}@vigil.test`
  const created = await accounts.createUser({ email, password: PASSWORD })
  if ('refused' in created) throw new Error(created.refused)
  await accounts.setMember(org_id, created.user_id, 'owner')
  const login = async ({ agent = 'Firefox', cookie, from, isPage = true }: Login = {}) => {
    const answer = await harness().app.inject({
      method: 'POST',
      url: '/console/api/auth/login',
      remoteAddress: from ?? '198.51.100.7',
      headers: { 'user-agent': agent, 'x-vigil-console': '1', ...(cookie && { cookie }) },
      payload: { email, password: PASSWORD, cookie: isPage },
    })
    expect(answer.statusCode).toBe(200)
    const set = [answer.headers['set-cookie'] ?? []].flat()
    const { content } = answer.json<{ content: Content }>()
    return { ...content, cookies: set.map((each) => each.split(';')[0]).join('; ') }
  }
  const noticed = async () => {
    const { rows } = await sql<{ details: object }>`select details from audit_log
      where org_id = ${org_id} and action = 'sign_in.new_browser' order by id`.execute(
      harness().stores.directory,
    )
    return rows.map(({ details }) => details)
  }
  return { user_id: created.user_id, email, login, noticed }
}

describe('a sign-in', () => {
  it('in a browser that is not known is in the audit log, but not the first one of a user', async () => {
    const { login, noticed } = await newUser()
    const first = await login()
    await login({ cookie: first.cookies, agent: 'Firefox, updated', from: '203.0.113.9' })
    expect(await noticed()).toEqual([])
    await login({ agent: 'Chrome\u0000', from: '203.0.113.9' })
    expect(await noticed()).toEqual([{ browser: 'Chrome', address: '203.0.113.9' }])
  })

  it('by a program without cookies is noticed once for its name and network', async () => {
    const { login, noticed } = await newUser()
    await login()
    await login({ isPage: false, agent: 'curl' })
    await login({ isPage: false, agent: 'curl' })
    expect(await noticed()).toHaveLength(1)
    await login({ isPage: false, agent: 'curl', from: '203.0.113.9' })
    expect(await noticed()).toHaveLength(2)
  })

  it('in the browser of another user is noticed', async () => {
    const [ann, bob] = [await newUser(), await newUser()]
    await ann.login()
    const { cookies } = await bob.login()
    await ann.login({ cookie: cookies })
    expect(await ann.noticed()).toHaveLength(1)
    expect(await bob.noticed()).toEqual([])
  })

  it('in two new browsers together is noticed for one of them', async () => {
    const { login, noticed } = await newUser()
    await Promise.all([login({ agent: 'one' }), login({ agent: 'two' })])
    expect(await noticed()).toHaveLength(1)
  })
})

describe('known browsers', () => {
  it('are limited for each user, and the least recently used is forgotten', async () => {
    const { user_id } = await newUser()
    const { directory } = harness().stores
    const remember = async (id: string, at: number) =>
      await directory
        .transaction()
        .execute((tx) => rememberBrowser(tx, user_id, id, new Date(START + at)))
    for (let n = 0; n <= KNOWN_BROWSERS_MAX; n += 1) await remember(`browser ${n}`, n)
    expect(await remember('browser 1', 1000)).toBe('known')
    expect(await remember('browser 0', 1001)).toBe('new')
  })
})

describe('a session', () => {
  const refresh = async (refresh_token: string) =>
    await harness().services.accounts.refresh(refresh_token, { address: '203.0.113.20' })

  it('ends when it is not used, and when it is too old, with its access tokens', async () => {
    now = START
    const { login } = await newUser()
    const idle = await login({ isPage: false })
    now += 31 * MINUTE_MS
    expect(await refresh(idle.refresh_token ?? '')).toBeUndefined()
    now = START
    let { refresh_token: token = '', expires_at } = await login({ isPage: false })
    while (now < START + 2 * DAY_MS - 20 * MINUTE_MS) {
      now += 20 * MINUTE_MS
      const next = await refresh(token)
      token = next?.refresh_token ?? ''
      expires_at = next?.expires_at.toISOString() ?? ''
    }
    expect(new Date(expires_at).getTime()).toBeLessThanOrEqual(START + 2 * DAY_MS)
    now = START + 2 * DAY_MS
    expect(await refresh(token)).toBeUndefined()
    now = START
  })

  it('shows the address of its last use, and all others end together', async () => {
    const { login } = await newUser()
    const here = await login({ isPage: false })
    const elsewhere = await login({ isPage: false, agent: 'curl' })
    await refresh(elsewhere.refresh_token ?? '')
    const as = { token: here.access_token }
    const path = '/console/api/me/sessions'
    type Listed = { sessions: { address: string; is_current: boolean }[] }
    const { sessions } = (await harness().get<Listed>(path, as)).body.content
    expect(sessions.find(({ is_current }) => !is_current)?.address).toBe('203.0.113.20')
    const ended = await harness().call<{ ended: number }>({ method: 'DELETE', path, ...as })
    expect(ended.body.content).toEqual({ ended: 1 })
    expect((await harness().get('/console/api/me', { token: elsewhere.access_token })).status).toBe(
      401,
    )
    expect((await harness().get('/console/api/me', as)).status).toBe(200)
  })
})
