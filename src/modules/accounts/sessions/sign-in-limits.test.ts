import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'

/** 4 attempts per e-mail and network, 8 per network; after 80, one per e-mail and network. */
const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_SIGN_IN: '8/60' } })
/** 1 attempt per e-mail and network, 2 per network. */
const strict = useHarness({ settings: { VIGIL_RATE_LIMIT_SIGN_IN: '2/60' } })

const PASSWORD = 'correct horse battery'

type Attempt = {
  email: string
  password?: string
  from: string
  cookie?: string | undefined
  service?: typeof harness
}

async function attempt({
  email,
  password = 'a wrong password',
  from,
  cookie,
  service = harness,
}: Attempt) {
  const answer = await service().app.inject({
    method: 'POST',
    url: '/console/api/auth/login',
    remoteAddress: from,
    headers: { 'x-vigil-console': '1', ...(cookie !== undefined && { cookie }) },
    payload: { email, password, cookie: true },
  })
  const browser = answer.cookies.find(({ name }) => name === 'vigil_browser')
  return {
    status: answer.statusCode,
    retry_after: answer.json<{ content?: { retry_after: number } }>().content?.retry_after,
    set: [answer.headers['set-cookie'] ?? []].flat(),
    cookie: browser && `vigil_browser=${browser.value}`,
    access_token: answer.json<{ content?: { access_token: string } }>().content?.access_token,
  }
}

async function newOwner(service = harness): Promise<string> {
  const { services, stores } = service()
  const email = `${stores.newId(new Date())}@shop.example`
  await services.accounts.createUser({ email, password: PASSWORD })
  return email
}

const statusesOf = async (attempts: Attempt[]): Promise<number[]> => {
  const statuses: number[] = []
  for (const each of attempts) statuses.push((await attempt(each)).status)
  return statuses
}

describe('attempts to sign in', () => {
  it('for one account in one network count together, however the e-mail is spelled', async () => {
    const spellings = [
      ['ann@shop.example', ' ANN@shop.example', 'Ann@Shop.Example ', 'ANN@SHOP.EXAMPLE'],
      ['ΝΙΚΟΣ@shop.example', 'νικος@shop.example', 'νικοσ@shop.example', 'Νικος@shop.example'],
      ['İlk@shop.example', 'ilk@shop.example', 'i\u0307lk@shop.example', 'ILK@shop.example'],
    ]
    for (const [n, [first = '', ...others]] of spellings.entries()) {
      const from = `198.51.100.${n}`
      const emails = [first, ...others, first]
      const statuses = await statusesOf(emails.map((email) => ({ email, from })))
      expect(statuses).toEqual([401, 401, 401, 401, 429])
    }
  })

  it('from one IPv6 network count together', async () => {
    const tails = ['::1', '::2', ':ffff:1:2:3', '::4', '::5', '::6', '::7', '::8', '::9']
    const statuses = await statusesOf(
      tails.map((tail) => ({ email: `${tail}@shop.example`, from: `2001:db8:7:1${tail}` })),
    )
    expect(statuses).toEqual([401, 401, 401, 401, 401, 401, 401, 401, 429])
  })

  it('of attackers in many networks do not keep the user out', async () => {
    const service = strict
    const email = await newOwner(service)
    const home = { email, password: PASSWORD, service, from: '203.0.113.1' }
    const { cookie } = await attempt(home)
    const attackers = Array.from({ length: 24 }, (_, n) => ({
      email,
      from: `198.51.100.${n}`,
      service,
    }))
    // Of 65,536 counters, two networks share one in about one of 200 runs.
    const refused = (await statusesOf(attackers)).filter((status) => status === 429)
    expect(refused.length).toBeLessThan(3)
    // The known browser has its own attempts, even in the network of an attacker.
    expect((await attempt({ ...home, cookie, from: '198.51.100.1' })).status).toBe(200)
    const elsewhere = await attempt({ ...home, from: '203.0.113.2' })
    expect(elsewhere.status).toBe(200)
    const again = await attempt({ ...home, from: '203.0.113.2' })
    expect(again.status).toBe(429)
    expect(again.retry_after).toBeLessThanOrEqual(60)
  })
})

describe('a known browser', () => {
  it('is marked by a lasting cookie that scripts cannot read, and a refresh renews it', async () => {
    const email = await newOwner()
    const { set } = await attempt({ email, password: PASSWORD, from: '203.0.113.3' })
    const line = set.find((text) => text.startsWith('vigil_browser='))
    expect(line?.split('; ').slice(1).toSorted()).toEqual([
      'HttpOnly',
      'Max-Age=31536000',
      'Path=/console/api/auth',
      'SameSite=Strict',
    ])
    const refresh = set.find((text) => text.startsWith('vigil_refresh='))?.split(';')[0] ?? ''
    const renewed = await harness().app.inject({
      method: 'POST',
      url: '/console/api/auth/refresh',
      headers: { 'x-vigil-console': '1', cookie: refresh },
      payload: {},
    })
    expect(String(renewed.headers['set-cookie'])).toContain('vigil_browser=')
  })

  it('has a limited number of attempts too', async () => {
    const email = await newOwner()
    const { cookie } = await attempt({ email, password: PASSWORD, from: '203.0.113.4' })
    const guesses = Array.from({ length: 9 }, (_, n) => ({ email, from: `192.0.2.${n}`, cookie }))
    expect(await statusesOf(guesses)).toEqual([...Array<number>(8).fill(401), 429])
  })

  it('is known for its own account only', async () => {
    const [mine, theirs] = [await newOwner(), await newOwner()]
    const { cookie } = await attempt({ email: mine, password: PASSWORD, from: '203.0.113.5' })
    const guesses = Array.from({ length: 5 }, () => ({
      email: theirs,
      from: '203.0.113.6',
      cookie,
    }))
    expect(await statusesOf(guesses)).toEqual([401, 401, 401, 401, 429])
    const forged = { email: mine, from: '203.0.113.7', cookie: `${cookie}x` }
    expect(await statusesOf(Array.from({ length: 5 }, () => forged))).toEqual([
      401, 401, 401, 401, 429,
    ])
  })

  it('is not known any more after a new password', async () => {
    const email = await newOwner()
    const { services } = harness()
    const { cookie } = await attempt({ email, password: PASSWORD, from: '203.0.113.8' })
    const [user] = await services.accounts.listUsers(email)
    await services.accounts.setPassword(user?.id ?? '', 'another horse battery')
    const guesses = Array.from({ length: 5 }, () => ({ email, from: '203.0.113.9', cookie }))
    expect(await statusesOf(guesses)).toEqual([401, 401, 401, 401, 429])
  })

  it('is signed in by the password only', async () => {
    const email = await newOwner()
    const { cookie = '' } = await attempt({ email, password: PASSWORD, from: '203.0.113.10' })
    const token = cookie.split('=')[1] ?? ''
    const me = await harness().call({ method: 'GET', path: '/console/api/me', token })
    expect(me.status).toBe(401)
    const { access_token = '' } = await attempt({ email, password: PASSWORD, from: '203.0.113.11' })
    expect(await harness().services.accounts.readBrowserCookie(access_token)).toBeUndefined()
  })
})
