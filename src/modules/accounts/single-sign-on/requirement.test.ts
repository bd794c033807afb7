import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import { createPerson } from '../../../../test/support/person.ts'
import {
  newBrowser,
  refusal,
  type Shop,
  SINGLE_SIGN_ON_SETTINGS,
  useShops,
} from '../../../../test/support/single-sign-on.ts'

const harness = useHarness({ settings: SINGLE_SIGN_ON_SETTINGS })
const newShop = useShops(harness)
const FIELD = 'single_sign_on'

const reach = async ({ org_id }: Shop, token: string) => {
  const path = `/console/api/organization?org_id=${org_id}`
  const { status, body } = await harness().get<{ field: string } | undefined>(path, { token })
  return [status, body.content?.field]
}

describe('an organization that requires its provider', () => {
  it('has tested it first, and named an owner who can sign in without it', async () => {
    const shop = await newShop()
    const { user_id } = shop.owner
    const refused = async (...args: Parameters<Shop['require']>) => {
      const { status, body } = await shop.require(...args)
      return [status, body.content.field]
    }
    expect(await refused('own', user_id)).toEqual([400, 'required_provider'])
    expect(await refused('installation', user_id)).toEqual([400, 'required_provider'])
    shop.add('ann', { groups: ['bosses'] })
    expect((await shop.test('ann')).body.content).toMatchObject({ kind: 'tested', role: 'owner' })
    expect(await shop.members()).toHaveLength(1)
    expect(await refused('own')).toEqual([400, 'break_glass_user_id'])
    const admin = await createPerson(harness(), shop.org_id, 'admin')
    expect(await refused('own', admin.user_id)).toEqual([400, 'break_glass_user_id'])
    await newBrowser(harness).signIn(shop.provider, shop.org_id, 'ann')
    const listed = await shop.members()
    const ann = listed.find(({ email }) => email.startsWith('ann'))
    expect(await refused('own', ann?.user_id)).toEqual([400, 'break_glass_user_id'])
    expect(await refused('own', user_id)).toEqual([200, undefined])
    // Other values have to be tested again.
    await shop.require(null)
    await shop.save({ scopes: 'openid email' })
    expect(await refused('own', user_id)).toEqual([400, 'required_provider'])
  })

  it('is reached by no password, passkey or token, but by its provider and one owner', async () => {
    const shop = await newShop()
    shop.add('ann')
    await shop.test('ann')
    const member = await createPerson(harness(), shop.org_id, 'owner')
    expect(await reach(shop, member.token)).toEqual([200, undefined])
    expect((await shop.require('own', shop.owner.user_id)).status).toBe(200)
    const { accounts, keys } = harness().services
    const passkey = await accounts.signInProved(member.user_id, {})
    const operator = await accounts.issueTokens(member.user_id)
    const long = await accounts.issueLongToken(member.user_id, 1)
    for (const token of [
      member.token,
      await member.signIn(),
      passkey?.access_token,
      operator?.access_token,
      long?.access_token,
    ]) {
      expect(await reach(shop, token ?? '')).toEqual([403, FIELD])
    }
    const me = await harness().get('/console/api/me', { token: member.token })
    expect(me.body.content).toMatchObject({ organizations: [{ requires_single_sign_on: true }] })
    const browser = newBrowser(harness)
    const { access_token } = (await browser.signIn(shop.provider, shop.org_id, 'ann')).body.content
    expect(await reach(shop, access_token)).toEqual([200, undefined])
    const key = (await keys.create(shop.org_id, 'test_secret'))?.key ?? ''
    expect((await harness().post('/v1/check', { email: 'a@b.example' }, { key })).status).toBe(200)

    const before = (await shop.audit()).length
    expect(await reach(shop, await shop.owner.signIn())).toEqual([200, undefined])
    const [noted, ...rest] = await shop.audit()
    expect(noted).toMatchObject({ action: 'single_sign_on.bypassed' })
    expect(rest).toHaveLength(before)
  })

  it('needs the second factor of that owner, and keeps the role', async () => {
    const shop = await newShop()
    const { email, user_id } = shop.owner
    shop.provider.people.set('boss', { email, email_verified: true, groups: ['admins'] })
    await shop.test('boss')
    const other = await createPerson(harness(), shop.org_id, 'owner')
    const session = await shop.owner.signIn()
    await shop.owner.setUpFactor()
    await shop.require('own', user_id)
    expect(await reach(shop, session)).toEqual([403, 'code'])
    expect(await reach(shop, shop.owner.token)).toEqual([200, undefined])
    await newBrowser(harness).signIn(shop.provider, shop.org_id, 'boss')
    expect(await shop.roleOf(email)).toBe('owner')
    expect(await reach(shop, other.token)).toEqual([403, FIELD])
    // The operator can end it when everything else fails.
    const { accounts } = harness().services
    const none = { required_provider: null, break_glass_user_id: null }
    expect(await accounts.requireProvider(shop.org_id, none)).toBe('done')
    expect(await reach(shop, other.token)).toEqual([200, undefined])
  })

  it('requires it no longer when the provider is removed, which ends its sessions', async () => {
    const shop = await newShop()
    shop.add('ann')
    await shop.test('ann')
    await shop.require('own', shop.owner.user_id)
    const { access_token } = (await newBrowser(harness).signIn(shop.provider, shop.org_id, 'ann'))
      .body.content
    const removed = await shop.remove()
    expect(removed.body.content).toMatchObject({ provider: null, required_provider: null })
    expect(await reach(shop, access_token)).toEqual([401, undefined])
    const gone = await newBrowser(harness).begin({ org_id: shop.org_id })
    expect(gone.status).toBe(400)
  })

  it('says plainly that the provider does not respond, also halfway', async () => {
    const shop = await newShop()
    shop.add('ann')
    shop.provider.person = 'ann'
    const browser = newBrowser(harness)
    const { url } = (await browser.begin({ org_id: shop.org_id })).body.content
    const callback = await shop.provider.visit(url, browser.jar)
    await shop.provider.close()
    const message = 'The provider does not respond; try again shortly'
    expect(refusal(await browser.complete(shop.org_id, callback))).toEqual([500, FIELD, message])
    const begun = await browser.begin({ org_id: shop.org_id })
    expect([begun.status, begun.body.message]).toEqual([500, message])
  })
})
