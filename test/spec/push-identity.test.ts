/** Specification, "Push": identity assertions and subscriptions (OP-32, OP-35). */
import { randomUUID } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Subscription } from '../../src/modules/push/subscriptions/schema.ts'
import { post, type Shop, usePushService } from '../support/push-service.ts'

const FIVE_MINUTES_MS = 300_000
let ahead_ms = 0
const clock = { now: () => new Date(Date.now() + ahead_ms) }
const service = usePushService({ clock, is_running: false })

type Issued = { identity_token: string; expires_at: string }
let shop: Shop
beforeAll(async () => {
  shop = await service().createShop()
})

const REFUSED = { status: 400, body: { content: { field: 'identity_token' } } }

const issue = async (body: object, of: Shop = shop) =>
  await of.callApi<Issued & { field: string }>('/identity-token', {
    application_id: of.application_id,
    external_user_id: 'anna',
    ...body,
  })

const register = async (of: Shop = shop): Promise<Subscription> =>
  await of.content(
    post('/subscriptions', {
      application_id: of.application_id,
      platform: 'android',
      token: service().fcm.makePhone().token,
    }),
  )

const identify = async (id: string, identity_token: string, of: Shop = shop) =>
  await of.console<Subscription & { field: string }>(
    post(`/subscriptions/${id}/identify`, { application_id: of.application_id, identity_token }),
  )

const read = async (id: string): Promise<Subscription> =>
  await shop.content({
    path: `/subscriptions/${id}`,
    query: { application_id: shop.application_id },
  })

describe('OP-32: POST /push-sdk/identity-token', () => {
  it('returns an assertion and its expiration in five minutes', async () => {
    const { status, body } = await issue({})
    expect({ status, ...body, content: Object.keys(body.content) }).toEqual({
      status: 200,
      success: true,
      message: 'Identity token issued',
      content: ['identity_token', 'expires_at'],
    })
    const { identity_token, expires_at } = body.content
    const { iat = 0, exp = 0, jti: _, ...claims } = decodeJwt(identity_token)
    expect(exp - iat).toBe(300)
    expect(expires_at).toBe(new Date(exp * 1000).toISOString())
    expect(claims).toEqual({
      iss: 'vigil',
      aud: shop.application_id,
      sub: 'anna',
      org_id: shop.org_id,
      environment: 'live',
    })
    expect(decodeProtectedHeader(identity_token)).toMatchObject({
      alg: 'EdDSA',
      typ: 'vigil-push-identity+jwt',
    })
  })

  it('returns a different one each time, without an idempotency key', async () => {
    const body = { application_id: shop.application_id, external_user_id: 'anna' }
    const answers = [1, 2].map(
      async () => await shop.callApi<Issued>('/identity-token', body, { idempotency_key: null }),
    )
    const tokens = (await Promise.all(answers)).map(({ body: { content } }) => content)
    expect(new Set(tokens.map(({ identity_token }) => identity_token)).size).toBe(2)
  })

  it('rejects invalid users: 400 naming external_user_id', async () => {
    for (const external_user_id of [undefined, null, '', 7, ['anna'], 'x'.repeat(513)]) {
      const { status, body } = await issue({ external_user_id })
      expect([external_user_id, status, body.content.field]).toEqual([
        external_user_id,
        400,
        'external_user_id',
      ])
    }
  })

  it('rejects applications of others and of the other environment: 400 naming application_id', async () => {
    const theirs = await service().createShop()
    const test = await service().createShop({ sibling: shop, environment: 'test' })
    const ids = [theirs.application_id, test.application_id, randomUUID(), 'x', '', undefined]
    for (const application_id of ids) {
      const { status, body } = await issue({ application_id })
      expect([application_id, status, body.content.field]).toEqual([
        application_id,
        400,
        'application_id',
      ])
    }
    expect((await issue({}, test)).status).toBe(200)
    const body = { application_id: test.application_id, external_user_id: 'anna' }
    expect((await test.callApi('/identity-token', body, { key: 'live_secret' })).status).toBe(400)
  })

  it('rejects a deleted application', async () => {
    const gone = await service().createShop({ sibling: shop })
    await gone.content({ method: 'DELETE', path: `/applications/${gone.application_id}` })
    const { status, body } = await issue({}, gone)
    expect({ status, field: body.content.field }).toEqual({ status: 400, field: 'application_id' })
  })
})

describe('an assertion', () => {
  it('identifies a subscription within five minutes, and not after', async () => {
    const { id } = await register()
    const token = await shop.identityToken('anna')
    ahead_ms += FIVE_MINUTES_MS - 5000
    expect(await identify(id, token)).toMatchObject({
      status: 200,
      body: { content: { external_user_id: 'anna' } },
    })
    ahead_ms += 10_000
    expect(await identify(id, token)).toMatchObject(REFUSED)
    expect((await read(id)).external_user_id).toBe('anna')
  })

  it('is valid for one subscription, which can use it again', async () => {
    const [one, other] = [await register(), await register()]
    const token = await shop.identityToken('anna')
    expect((await identify(one.id, token)).status).toBe(200)
    expect((await identify(one.id, token)).status).toBe(200)
    expect(await identify(other.id, token)).toMatchObject(REFUSED)
    expect((await read(other.id)).external_user_id).toBeNull()
  })

  it('is valid for its application only, and a plain user id for none', async () => {
    const { createShop } = service()
    const test = await createShop({ sibling: shop, environment: 'test' })
    const sibling = await createShop({ sibling: shop })
    const theirs = await createShop()
    const token = await shop.identityToken('anna')
    for (const of of [test, sibling, theirs]) {
      const { id } = await register(of)
      expect((await identify(id, token, of)).status).toBe(400)
    }
    const { id } = await register()
    const [header = '', claims = '', signature = ''] = token.split('.')
    const other = Buffer.from(JSON.stringify({ ...decodeJwt(token), sub: 'ben' }))
    const unsigned = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
    const forged = [
      'anna',
      `${header}.${other.toString('base64url')}.${signature}`,
      `${unsigned}.${claims}.`,
      `${header}.${claims}.`,
      shop.keys.live_secret,
      shop.tokens.owner,
    ]
    for (const each of forged) expect((await identify(id, each)).status, each).toBe(400)
    expect((await read(id)).external_user_id).toBeNull()
    expect((await identify(id, token)).status).toBe(200)
  })
})

describe('OP-35: a subscription', () => {
  it('has no operations under /v1', async () => {
    for (const path of ['/subscriptions', '/register', '/identify', '/logout', '/receipts']) {
      expect((await shop.callApi(path, {}, { key: 'live_public' })).status, path).toBe(404)
    }
  })

  it('is anonymous until a user has signed in', async () => {
    const app = await shop.install('ios')
    const id = app.subscriptionId() ?? ''
    expect(await read(id)).toMatchObject({ platform: 'ios', external_user_id: null })
    await app.signIn(await shop.identityToken('anna'))
    expect(await read(id)).toMatchObject({ external_user_id: 'anna' })
  })

  it('keeps its verified user when the token changes', async () => {
    const app = await shop.install('android', 'anna')
    const id = app.subscriptionId() ?? ''
    const before = await read(id)
    await app.newToken()
    expect(app.subscriptionId()).toBe(id)
    const after = await read(id)
    expect(after).toMatchObject({ external_user_id: 'anna', is_reachable: true })
    expect(after.token_tail).not.toBe(before.token_tail)
    expect(after.token_tail).toHaveLength(6)
  })

  it('stays reachable as anonymous when its user logs out', async () => {
    const alone = await service().createShop()
    const app = await alone.install('android', 'anna')
    expect(await alone.send({ external_user_ids: ['anna'] })).toMatchObject({ targeted: 1 })
    await app.signOut()
    expect(await alone.send({ external_user_ids: ['anna'] })).toMatchObject({ targeted: 0 })
    expect(await alone.send({ all: true })).toMatchObject({ targeted: 1 })
    const listed = await alone.content<Subscription[]>({
      path: '/subscriptions',
      query: { application_id: alone.application_id },
    })
    expect(listed).toMatchObject([
      { id: app.subscriptionId(), external_user_id: null, is_reachable: true },
    ])
  })

  it('with denied permission is stored, but nowhere counted as reachable', async () => {
    const alone = await service().createShop()
    const [app] = [await alone.install('android', 'anna'), await alone.install('ios')]
    await app.setPermission('denied')
    const id = app.subscriptionId() ?? ''
    const query = { application_id: alone.application_id }
    expect(await alone.content({ path: `/subscriptions/${id}`, query })).toMatchObject({
      permission: 'denied',
      is_reachable: false,
      external_user_id: 'anna',
    })
    expect(await alone.content({ path: '/subscriptions/counts', query })).toEqual([
      { platform: 'android', total: 1, reachable: 0, identified: 0 },
      { platform: 'ios', total: 1, reachable: 1, identified: 0 },
    ])
    const targets = [{ all: true }, { external_user_ids: ['anna'] }, { subscription_ids: [id] }]
    const targeted = targets.map(async (target) => (await alone.send(target)).targeted)
    expect(await Promise.all(targeted)).toEqual([1, 0, 0])
    await app.setPermission('provisional')
    expect(await alone.send({ external_user_ids: ['anna'] })).toMatchObject({ targeted: 1 })
  })
})
