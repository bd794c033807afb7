import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { createPerson } from '../../../../test/support/person.ts'
import {
  BEGIN,
  type Done,
  newBrowser,
  refusal,
  SETUP,
  SINGLE_SIGN_ON_SETTINGS,
  useShops,
} from '../../../../test/support/single-sign-on.ts'

const harness = useHarness({ settings: SINGLE_SIGN_ON_SETTINGS })
const newShop = useShops(harness)
const FIELD = 'single_sign_on'
const EXPIRED =
  'This sign-in has expired, was used before, or began in another browser; start again'
const INVALID = 'The provider has sent a response that is not valid; start again'
const CHANGED = 'The provider was changed in the meantime; start again'

/** A browser that is about to return from the provider. */
async function returning() {
  const shop = await newShop()
  shop.add('ann')
  shop.provider.person = 'ann'
  const browser = newBrowser(harness)
  const begin = async () => (await browser.begin({ org_id: shop.org_id })).body.content.url
  const callback = await shop.provider.visit(await begin(), browser.jar)
  return { shop, browser, begin, callback }
}

describe('a response of a provider', () => {
  it('is accepted once, also of concurrent requests', async () => {
    const { shop, browser, begin, callback } = await returning()
    const answers = await Promise.all(
      [1, 2].map(async () => await browser.complete(shop.org_id, callback)),
    )
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
    expect(refusal(await browser.complete(shop.org_id, callback))).toEqual([401, FIELD, EXPIRED])
    // The old state and code with a new cookie.
    await begin()
    expect(refusal(await browser.complete(shop.org_id, callback))).toEqual([401, FIELD, INVALID])
  })

  it('is worth nothing in another browser', async () => {
    const { shop, browser, callback } = await returning()
    const thief = newBrowser(harness)
    expect(refusal(await thief.complete(shop.org_id, callback))).toEqual([401, FIELD, EXPIRED])
    await thief.begin({ org_id: shop.org_id })
    expect(refusal(await thief.complete(shop.org_id, callback))).toEqual([401, FIELD, INVALID])
    expect((await browser.complete(shop.org_id, callback)).status).toBe(200)
  })

  it('needs the state, nonce, issuer and verifier of this sign-in', async () => {
    const { shop, browser, begin } = await returning()
    const attempt = async (
      change: (url: URL) => void,
      changeBack: (callback: Record<string, string>) => object = (callback) => callback,
    ) => {
      const url = new URL(await begin())
      change(url)
      const callback = await shop.provider.visit(url.href, browser.jar)
      return refusal(await browser.complete(shop.org_id, changeBack(callback)))
    }
    const none = () => undefined
    const refused = [401, FIELD, INVALID]
    const set = (name: string) => (url: URL) => url.searchParams.set(name, 'x'.repeat(43))
    expect(await attempt(set('nonce'))).toEqual(refused)
    expect(await attempt(set('state'))).toEqual(refused)
    expect(await attempt(set('code_challenge'))).toEqual(refused)
    expect(await attempt(none, (back) => ({ ...back, state: 'another' }))).toEqual(refused)
    expect(await attempt(none, (back) => ({ ...back, code: 'another' }))).toEqual(refused)
    expect(await attempt(none, (back) => ({ ...back, iss: 'https://other.example' }))).toEqual(
      refused,
    )
    expect(await attempt(none, ({ code = '', state = '' }) => ({ code, state }))).toEqual(refused)
    expect((await attempt(none))[0]).toBe(200)
  })

  it('is not sent to the provider of another organization', async () => {
    const { shop, browser, callback } = await returning()
    const other = await newShop()
    expect(refusal(await browser.complete(other.org_id, callback))).toEqual([401, FIELD, CHANGED])
    await browser.begin({ org_id: other.org_id })
    expect(refusal(await browser.complete(shop.org_id, callback))).toEqual([401, FIELD, CHANGED])
    expect(await shop.members()).toHaveLength(1)
  })

  it('is refused when the provider was changed or removed in the meantime', async () => {
    const { shop, browser, begin, callback } = await returning()
    await shop.save({ trusts_factor: true })
    expect(refusal(await browser.complete(shop.org_id, callback))).toEqual([401, FIELD, CHANGED])
    const later = await shop.provider.visit(await begin(), browser.jar)
    await shop.remove()
    expect(refusal(await browser.complete(shop.org_id, later))).toEqual([401, FIELD, CHANGED])
    expect((await browser.begin({ org_id: shop.org_id })).status).toBe(400)
  })

  it('creates one account for concurrent first sign-ins of a person', async () => {
    const { shop, browser, callback } = await returning()
    const other = newBrowser(harness)
    const { url } = (await other.begin({ org_id: shop.org_id })).body.content
    const second = await shop.provider.visit(url, other.jar)
    const answers = await Promise.all([
      browser.complete(shop.org_id, callback),
      other.complete(shop.org_id, second),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(await shop.members()).toHaveLength(2)
  })
})

describe('a person at the provider', () => {
  it('is refused without a verified e-mail of a permitted domain', async () => {
    const shop = await newShop({ email_domains: ['shop.example'] })
    const attempt = async (claims: Record<string, unknown>) => {
      shop.provider.people.set('eve', claims)
      return refusal(await newBrowser(harness).signIn(shop.provider, shop.org_id, 'eve'))[2]
    }
    const email = 'eve@shop.example'
    expect(await attempt({})).toBe('The provider has not named your e-mail address')
    expect(await attempt({ email, email_verified: false })).toContain('has not verified')
    expect(await attempt({ email })).toContain('has not verified')
    const outside = { email: 'eve@shop.example.evil.example', email_verified: true }
    expect(await attempt(outside)).toContain('may not sign in by this provider')
    expect(await shop.members()).toHaveLength(1)
    expect((await shop.audit())[0]).toMatchObject({
      action: 'single_sign_on.refused',
      details: { reason: 'email_domain' },
    })
  })

  it('is refused without a role, and loses the sessions with the last group', async () => {
    const shop = await newShop({ default_role: null })
    const email = shop.add('ann', { groups: ['admins'] })
    const browser = newBrowser(harness)
    const { access_token: token } = (await browser.signIn(shop.provider, shop.org_id, 'ann')).body
      .content
    expect((await harness().get('/console/api/me', { token })).status).toBe(200)
    shop.provider.people.set('ann', { email, email_verified: true, groups: ['__proto__'] })
    const again = await newBrowser(harness).signIn(shop.provider, shop.org_id, 'ann')
    expect(refusal(again)[2]).toBe('Your groups at the provider give you no role here')
    expect((await harness().get('/console/api/me', { token })).status).toBe(401)
  })

  it('never takes the role of the last owner', async () => {
    const shop = await newShop()
    const { email } = shop.owner
    shop.provider.people.set('boss', { email, email_verified: true, groups: ['admins'] })
    expect((await newBrowser(harness).signIn(shop.provider, shop.org_id, 'boss')).status).toBe(200)
    expect(await shop.roleOf(email)).toBe('owner')
    expect(await shop.members()).toHaveLength(1)
  })
})

describe('the provider of one organization', () => {
  it('cannot sign in as a member of another one', async () => {
    const [shop, victim] = [await newShop(), await newShop()]
    const { email, user_id } = victim.owner
    shop.provider.people.set('mallory', { email, email_verified: true, groups: ['bosses'] })
    const browser = newBrowser(harness)
    const { access_token: token } = (await browser.signIn(shop.provider, shop.org_id, 'mallory'))
      .body.content
    const me = await harness().get<{ user_id: string }>('/console/api/me', { token })
    expect(me.body.content).toMatchObject({ email, organizations: [{ id: shop.org_id }] })
    expect(me.body.content.user_id).not.toBe(user_id)
    const path = `/console/api/organization?org_id=${victim.org_id}`
    expect((await harness().get(path, { token })).status).toBe(404)
    // The account with the same e-mail does not come before that of its owner either.
    expect(await harness().services.accounts.signIn(email, victim.owner.password)).toBeDefined()
    expect(await harness().services.accounts.proveEmail(me.body.content.user_id)).toEqual({
      refused: 'email_taken',
    })
  })

  it('reaches nothing but this organization as a user who belongs to both', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    const { email, user_id, token: own } = other.owner
    await harness().services.accounts.setMember(shop.org_id, user_id, 'member')
    shop.provider.people.set('mallory', { email, email_verified: true, groups: ['admins'] })
    const browser = newBrowser(harness)
    const { access_token: token } = (await browser.signIn(shop.provider, shop.org_id, 'mallory'))
      .body.content
    const me = await harness().get<{ user_id: string }>('/console/api/me', { token })
    expect(me.body.content).toMatchObject({ user_id, organizations: [{ id: shop.org_id }] })
    expect(await shop.members(token)).toHaveLength(2)
    const refused = await harness().get(`/console/api/members?org_id=${other.org_id}`, { token })
    expect([refused.status, refused.body.content.field]).toEqual([403, FIELD])
    const routes = harness().app.declaredRoutes.filter(
      ({ config }) => config?.access === 'user' && config.limited_session !== true,
    )
    expect(routes.length).toBeGreaterThan(10)
    for (const { method, url } of routes) {
      const call = { method: String(method) as 'GET', path: url.replaceAll(/:\w+/g, 'x'), token }
      const answer = await harness().call({ ...call, ...(method !== 'GET' && { body: {} }) })
      expect([url, answer.status, answer.body.content.field]).toEqual([url, 403, FIELD])
    }
    expect((await harness().get('/console/api/me', { token: own })).body.content).toMatchObject({
      organizations: { length: 2 },
    })
  })

  it('keeps a new account for a stranger who was invited with the e-mail of a person', async () => {
    const shop = await newShop()
    const email = shop.add('ann', { groups: ['bosses'] })
    const { accounts } = harness().services
    const invitation = await accounts.invite(
      shop.org_id,
      { email, role: 'member' },
      shop.owner.user_id,
    )
    const secret = 'a password of the stranger 17'
    await accounts.acceptWithPassword('token' in invitation ? (invitation.token ?? '') : '', secret)
    await newBrowser(harness).signIn(shop.provider, shop.org_id, 'ann')
    const listed = await shop.members()
    expect(listed.filter((each) => each.email === email)).toMatchObject([
      { role: expect.any(String) as string },
      { role: expect.any(String) as string },
    ])
    const stranger = await accounts.signIn(email, secret)
    const me = await harness().get('/console/api/me', { token: stranger?.access_token ?? '' })
    expect(me.body.content).toMatchObject({ organizations: [{ role: 'member' }] })
  })

  it('is set by owners, keeps its secret, and is not reached in the internal network', async () => {
    const shop = await newShop()
    const { org_id, owner, save } = shop
    const path = `${SETUP}?org_id=${org_id}`
    const admin = await createPerson(harness(), org_id, 'admin')
    const member = await createPerson(harness(), org_id, 'member')
    expect((await harness().get(path, { token: member.token })).status).toBe(403)
    const seen = await harness().get(path, { token: admin.token })
    expect(seen.status).toBe(200)
    expect(JSON.stringify(seen.body)).not.toContain(shop.provider.client_secret)
    const state = await harness().get(path, { token: owner.token })
    expect(JSON.stringify(state.body)).not.toContain(shop.provider.client_secret)
    expect(state.body.content).toMatchObject({ redirect_uri: shop.uri, installation: null })
    const invalid = async (change: object) => {
      const { status, body } = await save(change)
      return [status, body.content.field]
    }
    const https = 'https://169.254.169.254'
    expect(await invalid({ issuer: https, client_secret: undefined })).toEqual([
      400,
      'client_secret',
    ])
    for (const issuer of ['http://10.0.0.1', 'javascript:x', 'https://a@b.example', 'x']) {
      expect(await invalid({ issuer })).toEqual([400, 'issuer'])
    }
    for (const issuer of [https, 'http://localhost:1', 'https://[::ffff:10.0.0.1]']) {
      expect((await save({ issuer })).status).toBe(200)
      const begun = await newBrowser(harness).begin({ org_id })
      expect([begun.status, begun.body.message]).toEqual([
        500,
        'The provider does not respond; try again shortly',
      ])
    }
  })

  it('returns to pages of the console only, and answers only these', async () => {
    const { org_id } = await newShop()
    const begin = async (next: string) => {
      const { status, body } = await newBrowser(harness).post<Done>(BEGIN, { org_id, next })
      return [status, body.content.field]
    }
    const evil = ['//evil.example', 'https://evil.example', '/\\evil.example', '/\t/evil', 'x', '']
    for (const next of evil) expect([next, ...(await begin(next))]).toEqual([next, 400, 'next'])
    const body = { org_id }
    const bare = await harness().call({ method: 'POST', path: BEGIN, body })
    const back = await harness().call({ method: 'POST', path: `${BEGIN}/complete`, body })
    expect([bare.status, back.status]).toEqual([403, 403])
  })
})
