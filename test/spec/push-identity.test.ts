/** Specification, "Push": identity assertions and subscriptions (OP-32, OP-35). */
import { randomUUID } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Subscription } from '../../src/modules/push/subscriptions/schema.ts'
import { type Shop, usePushService } from '../support/push-service.ts'

const FIVE_MINUTES_MS = 300_000
let ahead_ms = 0
const clock = { now: () => new Date(Date.now() + ahead_ms) }
const service = usePushService({ clock, is_running: false })

type Issued = { identity_token: string; expires_at: string }
let shop: Shop
beforeAll(async () => {
  shop = await service().createShop()
})

const issue = async (body: object, of: Shop = shop) =>
  await of.ask<Issued & { field: string }>('/identity-token', {
    application_id: of.application_id,
    external_user_id: 'anna',
    ...body,
  })

const register = async (of: Shop = shop): Promise<Subscription> =>
  await of.content({
    method: 'POST',
    path: '/subscriptions',
    body: {
      application_id: of.application_id,
      platform: 'android',
      token: service().fcm.makePhone().token,
    },
  })

const identify = async (id: string, identity_token: string, of: Shop = shop) =>
  await of.console<Subscription & { field: string }>({
    method: 'POST',
    path: `/subscriptions/${id}/identify`,
    body: { application_id: of.application_id, identity_token },
  })

const read = async (id: string): Promise<Subscription> =>
  await shop.content({
    path: `/subscriptions/${id}`,
    query: { application_id: shop.application_id },
  })

describe('OP-32: POST /push-sdk/identity-token', () => {
  it('answers an assertion and when it ends, in five minutes', async () => {
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

  it('answers another one each time, with no idempotency key', async () => {
    const body = { application_id: shop.application_id, external_user_id: 'anna' }
    const answers = [1, 2].map(
      async () => await shop.ask<Issued>('/identity-token', body, { idempotency_key: null }),
    )
    const tokens = (await Promise.all(answers)).map(({ body: { content } }) => content)
    expect(new Set(tokens.map(({ identity_token }) => identity_token)).size).toBe(2)
  })

  it('refuses users that are none: 400 naming external_user_id', async () => {
    for (const external_user_id of [undefined, null, '', 7, ['anna'], 'x'.repeat(513)]) {
      const { status, body } = await issue({ external_user_id })
      expect({ external_user_id, status, field: body.content.field }).toEqual({
        external_user_id,
        status: 400,
        field: 'external_user_id',
      })
    }
  })

  it('knows no application of others, nor of the other environment: 400 naming application_id', async () => {
    const theirs = await service().createShop()
    const test = await service().createShop({ beside: shop, environment: 'test' })
    const ids = [theirs.application_id, test.application_id, randomUUID(), 'x', '', undefined]
    for (const application_id of ids) {
      const { status, body } = await issue({ application_id })
      expect({ application_id, status, field: body.content.field }).toEqual({
        application_id,
        status: 400,
        field: 'application_id',
      })
    }
    expect((await issue({}, test)).status).toBe(200)
    const body = { application_id: test.application_id, external_user_id: 'anna' }
    expect((await test.ask('/identity-token', body, { key: 'live_secret' })).status).toBe(400)
  })

  it('takes no application that was deleted', async () => {
    const gone = await service().createShop({ beside: shop })
    await gone.content({ method: 'DELETE', path: `/applications/${gone.application_id}` })
    const { status, body } = await issue({}, gone)
    expect({ status, field: body.content.field }).toEqual({ status: 400, field: 'application_id' })
  })
})

describe('an assertion', () => {
  it('identifies a subscription until its five minutes are over, and not after them', async () => {
    const { id } = await register()
    const token = await shop.identityToken('anna')
    ahead_ms += FIVE_MINUTES_MS - 5000
    expect(await identify(id, token)).toMatchObject({
      status: 200,
      body: { content: { external_user_id: 'anna' } },
    })
    ahead_ms += 10_000
    expect(await identify(id, token)).toMatchObject({
      status: 400,
      body: { content: { field: 'identity_token' } },
    })
    expect((await read(id)).external_user_id).toBe('anna')
  })

  it('counts for one subscription, which may show it again', async () => {
    const [one, other] = [await register(), await register()]
    const token = await shop.identityToken('anna')
    expect((await identify(one.id, token)).status).toBe(200)
    expect((await identify(one.id, token)).status).toBe(200)
    expect(await identify(other.id, token)).toMatchObject({
      status: 400,
      body: { content: { field: 'identity_token' } },
    })
    expect((await read(other.id)).external_user_id).toBeNull()
  })

  it('counts for its application alone, and a raw user id for none', async () => {
    const { createShop } = service()
    const test = await createShop({ beside: shop, environment: 'test' })
    const beside = await createShop({ beside: shop })
    const theirs = await createShop()
    const token = await shop.identityToken('anna')
    for (const of of [test, beside, theirs]) {
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
  it('has no path under /v1: neither registration nor anything else', async () => {
    for (const path of ['/subscriptions', '/register', '/identify', '/logout', '/receipts']) {
      expect((await shop.ask(path, {}, { key: 'live_public' })).status, path).toBe(404)
    }
  })

  it('is anonymous until a user has signed in', async () => {
    const app = await shop.install('ios')
    const id = app.subscriptionId() ?? ''
    expect(await read(id)).toMatchObject({ platform: 'ios', external_user_id: null })
    await app.signIn(await shop.identityToken('anna'))
    expect(await read(id)).toMatchObject({ external_user_id: 'anna' })
  })

  it('keeps its verified identity when the token is refreshed', async () => {
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

  it('stays, anonymous and reachable, when its user logs out', async () => {
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

  it('whose permission is denied is recorded, and counted nowhere as reachable', async () => {
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
