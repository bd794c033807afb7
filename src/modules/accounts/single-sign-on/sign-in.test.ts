import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import {
  type Done,
  newBrowser,
  PUBLIC_URL,
  refusal,
  SINGLE_SIGN_ON_SETTINGS,
  useShops,
} from '../../../../test/support/single-sign-on.ts'

const harness = useHarness({ settings: SINGLE_SIGN_ON_SETTINGS })
const newShop = useShops(harness)

describe('single sign-on', () => {
  it('creates a member with the role of the groups, and changes the role at each sign-in', async () => {
    const shop = await newShop()
    const email = shop.add('ann', { groups: ['admins', 'all'] })
    const browser = newBrowser(harness)
    const first = await browser.signIn(shop.provider, shop.org_id, 'ann', '/o/x/orders?mode=test')
    expect([first.status, first.body.content]).toMatchObject([
      200,
      { kind: 'signed_in', next: '/o/x/orders?mode=test' },
    ])
    expect(await shop.roleOf(email)).toBe('admin')
    shop.provider.people.set('ann', { email, email_verified: true, groups: [] })
    const { access_token } = (await newBrowser(harness).signIn(shop.provider, shop.org_id, 'ann'))
      .body.content
    expect(await shop.roleOf(email)).toBe('member')
    const me = await harness().get('/console/api/me', { token: access_token })
    expect(me.body.content).toMatchObject({ email, organizations: [{ id: shop.org_id }] })
    const actions = (await shop.audit()).map(({ action }) => action)
    expect(actions.slice(0, 7)).toEqual([
      'sign_in.new_browser',
      'single_sign_on.signed_in',
      'member.role_changed',
      'single_sign_on.signed_in',
      'member.added',
      'single_sign_on.linked',
      'single_sign_on.provider_set',
    ])
    const refreshed = await browser.post<Done>('/console/api/auth/refresh', {})
    expect(refreshed.status).toBe(200)
  })

  it('counts as a second factor if the provider reports several methods, or is trusted', async () => {
    const shop = await newShop()
    shop.add('ann')
    const path = `/console/api/organization?org_id=${shop.org_id}`
    await harness().services.accounts.setSignInPolicy(shop.org_id, { requires_second_factor: true })
    const statusOf = async () => {
      const { body } = await newBrowser(harness).signIn(shop.provider, shop.org_id, 'ann')
      const { status, body: refused } = await harness().get(path, {
        token: body.content.access_token,
      })
      return [status, refused.content.field]
    }
    expect(await statusOf()).toEqual([403, 'single_sign_on'])
    shop.provider.amr = ['pwd', 'mfa']
    expect(await statusOf()).toEqual([200, undefined])
  })

  it('ends some hours after the last sign-in at the provider, however much it is used', async () => {
    const shop = await newShop()
    shop.add('ann')
    const browser = newBrowser(harness)
    await browser.signIn(shop.provider, shop.org_id, 'ann')
    const refresh = async () => (await browser.post<Done>('/console/api/auth/refresh', {})).status
    expect(await refresh()).toBe(200)
    await age(shop.org_id, 13 * 60)
    expect(await refresh()).toBe(401)
  })

  it('signs out at the provider, too', async () => {
    const shop = await newShop()
    shop.add('ann')
    const browser = newBrowser(harness)
    await browser.signIn(shop.provider, shop.org_id, 'ann')
    type SignedOut = { sign_out_url: string }
    const { body } = await browser.post<SignedOut>('/console/api/auth/logout', {})
    const url = new URL(body.content.sign_out_url)
    expect(url.origin).toBe(shop.provider.issuer)
    expect(url.searchParams.get('post_logout_redirect_uri')).toBe(`${PUBLIC_URL}/console/sign-in`)
    expect(url.searchParams.get('id_token_hint')).toMatch(/^ey/)
    expect((await browser.post('/console/api/auth/refresh', {})).status).toBe(401)
  })

  it('is found by a domain that the operator has confirmed for the organization', async () => {
    const shop = await newShop()
    const { accounts } = harness().services
    const domain = `${shop.org_id}.example`
    const begin = async () =>
      await newBrowser(harness).begin({ email: `Ann@${domain.toUpperCase()}` })
    expect((await begin()).status).toBe(400)
    expect(await accounts.setDomains(shop.org_id, [domain])).toBe('done')
    const { body } = await begin()
    expect(body.content.url).toContain(shop.provider.issuer)
    const other = await newShop()
    expect(await accounts.setDomains(other.org_id, ['x.example', domain])).toBe('taken')
    expect((await begin()).body.content.url).toContain(shop.provider.issuer)
  })
})

describe('an action of consequence in a session of a provider', () => {
  it('needs a sign-in at the provider of the last ten minutes, by the same person', async () => {
    const shop = await newShop()
    const { org_id, provider } = shop
    shop.add('ann', { groups: ['bosses'] })
    shop.add('bob', { groups: ['bosses'] })
    const browser = newBrowser(harness)
    const { access_token: token } = (await browser.signIn(provider, org_id, 'ann')).body.content
    const create = async () => {
      const { status, body } = await harness().post(
        '/console/api/keys',
        { org_id, type: 'test_secret' },
        { token },
      )
      return [status, body.content.field]
    }
    expect(await create()).toEqual([200, undefined])
    await age(org_id, 11)
    expect(await create()).toEqual([403, 'code'])
    const prove = async (person: string, jar = new Map<string, string>()) => {
      provider.person = person
      const path = '/console/api/me/provider/prove'
      const begun = await browser.post<{ url: string }>(path, { next: '/o/x' }, token)
      return await browser.complete(org_id, await provider.visit(begun.body.content.url, jar))
    }
    await newBrowser(harness).signIn(provider, org_id, 'bob')
    await age(org_id, 11)
    expect(refusal(await prove('bob'))[1]).toBe('single_sign_on')
    expect(await create()).toEqual([403, 'code'])
    expect((await prove('ann', browser.jar)).body.content).toEqual({ kind: 'proved', next: '/o/x' })
    expect(await create()).toEqual([200, undefined])
  })
})

/** Makes the sign-ins at the provider older. */
const age = async (orgId: string, minutes: number) =>
  await sql`update sessions set provider_at = provider_at - make_interval(mins => ${minutes})
    where provider_org_id = ${orgId}`.execute(harness().stores.db)
