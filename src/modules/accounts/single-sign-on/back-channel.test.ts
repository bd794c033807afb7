/** Providers that end sessions here: OpenID Connect Back-Channel Logout 1.0. */
import { randomUUID } from 'node:crypto'
import { generateKeyPair, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { useHarness } from '../../../../test/harness.ts'
import {
  BEGIN,
  newBrowser,
  type Shop,
  SINGLE_SIGN_ON_SETTINGS,
  useShops,
} from '../../../../test/support/single-sign-on.ts'

const harness = useHarness({ settings: SINGLE_SIGN_ON_SETTINGS })
const newShop = useShops(harness)

const FORM = 'application/x-www-form-urlencoded'
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/** Sends the token as a provider does. @returns the status and the field of a refusal */
async function send(token: string, orgId: string, type = FORM) {
  const answer = await harness().app.inject({
    method: 'POST',
    url: `${BEGIN}/sign-out/${orgId}`,
    headers: { 'content-type': type, host: 'vigil.test' },
    payload: new URLSearchParams({ logout_token: token }).toString(),
  })
  const { content } = answer.json<{ content: { field?: string } }>()
  return [answer.statusCode, content.field]
}
const DONE = [200, undefined]
const REFUSED = [400, 'logout_token']

async function signedIn({ provider, org_id }: Shop, person: string) {
  const browser = newBrowser(harness)
  await browser.signIn(provider, org_id, person)
  const refresh = async () => (await browser.post('/console/api/auth/refresh', {})).status
  return { ...browser, refresh }
}

/** The claims of a token that ends all sessions of a person. */
const claimsOf = ({ provider }: Shop, sub: string, more: object = {}): JWTPayload => {
  const now = Math.floor(Date.now() / 1000)
  const { issuer: iss, client_id: aud } = provider
  const events = { [EVENT]: {} }
  return { iss, aud, sub, iat: now, exp: now + 120, jti: randomUUID(), events, ...more }
}

describe('a person who signs out at the provider', () => {
  it('is signed out here in that session, and in the audit log', async () => {
    const shop = await newShop()
    const { provider, org_id } = shop
    shop.add('ann')
    shop.add('bob')
    const [one, other] = [await signedIn(shop, 'ann'), await signedIn(shop, 'ann')]
    const bob = await signedIn(shop, 'bob')
    const { body } = await one.post<{ sign_out_url: string }>('/console/api/auth/logout', {})
    const again = newBrowser(harness)
    for (const [name, value] of one.jar) again.jar.set(name, value)
    await again.signIn(provider, org_id, 'ann')
    await provider.signOut(body.content.sign_out_url, one.jar)
    const [token = ''] = provider.logout_tokens
    expect(await send(token, org_id)).toEqual(DONE)
    expect((await again.post('/console/api/auth/refresh', {})).status).toBe(401)
    expect([await other.refresh(), await bob.refresh()]).toEqual([200, 200])
    const [entry] = await shop.audit()
    expect(entry).toMatchObject({ action: 'single_sign_on.signed_out', details: { sessions: 1 } })
  })

  it('is signed out of all sessions if the provider names none, once for each token', async () => {
    const shop = await newShop()
    const { provider, org_id } = shop
    shop.add('ann')
    const sessions = [await signedIn(shop, 'ann'), await signedIn(shop, 'ann')]
    const token = await provider.sign(claimsOf(shop, 'ann'))
    const answers = await Promise.all([1, 2, 3].map(() => send(token, org_id)))
    expect(answers.filter(([status]) => status === 200)).toHaveLength(1)
    for (const { refresh } of sessions) expect(await refresh()).toBe(401)
    const later = await signedIn(shop, 'ann')
    expect(await send(token, org_id)).toEqual(REFUSED)
    expect(await later.refresh()).toBe(200)
    expect(await send(await provider.sign(claimsOf(shop, 'a stranger')), org_id)).toEqual(DONE)
    expect(await later.refresh()).toBe(200)
  })

  it('stays signed in by a password, and by the provider of another organization', async () => {
    const [shop, other] = [await newShop(), await newShop()]
    shop.add('ann')
    other.add('ann')
    const elsewhere = await signedIn(other, 'ann')
    expect(await send(await shop.provider.sign(claimsOf(shop, 'ann')), shop.org_id)).toEqual(DONE)
    const foreign = await shop.provider.sign(claimsOf(shop, 'ann'))
    expect(await send(foreign, other.org_id)).toEqual(REFUSED)
    const posing = await shop.provider.sign(claimsOf(other, 'ann'))
    expect(await send(posing, other.org_id)).toEqual(REFUSED)
    expect(await elsewhere.refresh()).toBe(200)
    expect((await shop.members()).length).toBeGreaterThan(0)
  })
})

describe('a token', () => {
  it.each<[string, object]>([
    ['for another client', { aud: 'other' }],
    ['of another issuer', { iss: 'https://elsewhere.example' }],
    ['that is old', { iat: 1_700_000_000, exp: undefined }],
    ['that has expired', { exp: 1_700_000_000 }],
    ['of the future', { iat: 4_000_000_000, exp: undefined }],
    ['without a time', { iat: undefined }],
    ['without an id', { jti: undefined }],
    ['about nothing', { events: {} }],
    ['with an event that is no object', { events: { [EVENT]: true } }],
    ['that is an ID token', { nonce: 'n' }],
    ['about no one', { sub: undefined }],
    ['about a long name', { sub: 'a'.repeat(256) }],
  ])('%s is refused', async (_, more) => {
    const shop = await refusingShop()
    expect(await send(await shop.provider.sign(claimsOf(shop, 'ann', more)), shop.org_id)).toEqual(
      REFUSED,
    )
  })

  it('that the provider has not signed is refused in every form', async () => {
    const shop = await refusingShop()
    const { org_id, provider } = shop
    const claims = claimsOf(shop, 'ann')
    const { privateKey } = await generateKeyPair('RS256')
    const other = new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'test' })
    const secret = new SignJWT(claims).setProtectedHeader({ alg: 'HS256' })
    const tokens = [
      await other.sign(privateKey),
      await secret.sign(Buffer.from(provider.client_secret)),
      new UnsecuredJWT(claims).encode(),
      'not a token',
      '',
    ]
    for (const token of tokens) expect(await send(token, org_id)).toEqual(REFUSED)
    expect(await send('a', org_id, 'application/json')).toEqual([400, 'body'])
    for (const unknown of [randomUUID(), 'x']) {
      expect(await send(await provider.sign(claims), unknown)).toEqual(REFUSED)
    }
  })

  it('ends nothing while the keys of the provider cannot be read', async () => {
    const shop = await newShop()
    shop.add('ann')
    const session = await signedIn(shop, 'ann')
    const token = await shop.provider.sign(claimsOf(shop, 'ann'))
    await shop.provider.close()
    const [status] = await send(token, shop.org_id)
    expect(status).toBe(500)
    expect(await session.refresh()).toBe(200)
  })
})

let refusing: Promise<Shop> | undefined
/** Its provider signs what no provider should. */
const refusingShop = async () => await (refusing ??= newShop())
