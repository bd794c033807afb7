import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Answer, type Tenant, useHarness } from '../../../../test/harness.ts'
import { NOT_FOUND } from '../../../../test/support/answers.ts'
import { withoutLimits } from '../../../../test/support/calls.ts'
import { addPushApplication } from '../../../../test/support/push-examples.ts'
import {
  addSentMessage,
  newApnsToken,
  newFcmToken,
  receiptsOf,
} from '../../../../test/support/push-fixtures.ts'
import type { Registered } from './schema.ts'

const harness = useHarness({ settings: withoutLimits() })

type Installation = Registered & { token: string; registration_id: string }
type Content = Registered & { field: string; received: number; known: number }

let tenant: Tenant
let application_id: string
beforeAll(async () => {
  tenant = await harness().createTenant()
  application_id = (await addPushApplication(harness(), tenant.org_id)).application_id
})

const PATH = '/sdk/push/subscriptions'
const post = async (
  path: string,
  body: object,
  key = tenant.keys.live_public,
): Promise<Answer<Content>> => await harness().post<Content>(`${PATH}${path}`, body, { key })

const registration = (given: object = {}) => ({
  application_id,
  registration_id: randomUUID(),
  platform: 'android',
  token: newFcmToken(),
  ...given,
})

async function install(given: object = {}): Promise<Installation> {
  const body = registration(given)
  const { status, body: answer } = await post('', body)
  expect(status, answer.message).toBe(200)
  return { ...answer.content, token: body.token, registration_id: body.registration_id }
}

/** Calls about the subscription of an installation, with its secret. */
const call = async (
  { subscription_id, subscription_secret }: Installation,
  path: string,
  body: object = {},
  key?: string,
) => await post(`/${subscription_id}${path}`, { application_id, subscription_secret, ...body }, key)

const stored = async ({ subscription_id: id }: Pick<Registered, 'subscription_id'>) =>
  await harness().services.push.subscriptions.find(tenant.org_id, { application_id, id })

async function identityToken(external_user_id: string): Promise<string> {
  const { body } = await harness().post<{ identity_token: string }>(
    '/v1/push-sdk/identity-token',
    { application_id, external_user_id },
    { key: tenant.keys.live_secret },
  )
  return body.content.identity_token
}

async function installFor(user: string, given: object = {}): Promise<Installation> {
  const app = await install(given)
  const { status } = await call(app, '/identify', { identity_token: await identityToken(user) })
  expect(status).toBe(200)
  return app
}

describe('registering an app', () => {
  it('stores what it reports, and returns a secret that is stored as a hash only', async () => {
    const facts = {
      permission: 'provisional',
      locale: 'de-CH',
      app_version: '2.1.0',
      time_zone: 'Europe/Zurich',
    }
    const app = await install({ platform: 'ios', token: newApnsToken().toUpperCase(), ...facts })
    expect(app).toMatchObject({ platform: 'ios', external_user_id: null, ...facts })
    expect(app.subscription_secret).toMatch(/^vps_[\w-]{43}$/)
    expect(await stored(app)).toMatchObject({ is_reachable: true, ...facts })
    const { rows } = await harness().stores.db.executeQuery(
      harness()
        .stores.db.selectFrom('push_subscriptions')
        .selectAll()
        .where('id', '=', app.subscription_id)
        .compile(),
    )
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(app.subscription_secret)
  })

  it('again with the same registration id returns the same subscription, secret and user', async () => {
    const { token, registration_id, ...first } = await installFor('anna')
    const again = await install({ token, registration_id, app_version: '2' })
    const expected = { ...first, external_user_id: 'anna', app_version: '2' }
    expect(again).toEqual({ ...expected, token, registration_id })
  })

  it('many times at the same time creates one subscription', async () => {
    const body = registration()
    const answers = await Promise.all(Array.from({ length: 20 }, async () => await post('', body)))
    const contents = new Set(answers.map(({ body: { content } }) => JSON.stringify(content)))
    expect(contents.size).toBe(1)
  })

  it('with the token of another installation takes its subscription along, without its user', async () => {
    const former = await installFor('anna', { locale: 'de-CH' })
    const next = await install({ token: former.token })
    expect(next).toMatchObject({
      subscription_id: former.subscription_id,
      external_user_id: null,
      locale: null,
    })
    expect(next.subscription_secret).not.toBe(former.subscription_secret)
    expect(await call(former, '', { permission: 'denied' })).toMatchObject(NOT_FOUND)
    expect(await call(next, '', { permission: 'denied' })).toMatchObject({ status: 200 })
  })

  it('gives a subscription from the console its first secret, without its user', async () => {
    const token = newFcmToken()
    const identity_token = await identityToken('anna')
    const { id } = await harness().services.push.subscriptions.register(tenant.org_id, {
      application_id,
      platform: 'android',
      token,
      identity_token,
    })
    const app = await install({ token })
    expect(app).toMatchObject({ subscription_id: id, external_user_id: null })
  })

  it.each([
    ['application_id', () => ({ application_id: randomUUID() })],
    ['token', () => ({ token: 'short' })],
    ['token', () => ({ platform: 'ios' })],
    ['time_zone', () => ({ time_zone: 'Europe Zurich' })],
    ['registration_id', () => ({ registration_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07' })],
  ])('with an invalid %s is refused (%#)', async (field, given) => {
    const { status, body } = await post('', registration(given()))
    expect([status, body.content.field]).toEqual([400, field])
  })
})

describe('the app of a subscription', () => {
  it('reports a new token and permission, and keeps its user', async () => {
    const app = await installFor('anna')
    const token = newFcmToken()
    const { body } = await call(app, '', { token, permission: 'denied' })
    const expected = { permission: 'denied', is_reachable: false, external_user_id: 'anna' }
    expect(body.content).toMatchObject(expected)
    expect(await stored(app)).toMatchObject({ ...expected, token_tail: token.slice(-6) })
    expect(body.content).not.toHaveProperty('subscription_secret')
  })

  it('takes a token from another subscription, which has none from then on', async () => {
    const [app, other] = [await install(), await install()]
    expect(await call(app, '', { token: other.token })).toMatchObject({ status: 200 })
    expect(await stored(other)).toMatchObject({ token_tail: null, invalid_reason: 'token_moved' })
    expect(await stored(app)).toMatchObject({ token_tail: other.token.slice(-6) })
  })

  it('exchanges tokens with another one at the same time without a fault', async () => {
    const [app, other] = [await install(), await install()]
    const answers = await Promise.all([
      call(app, '', { token: other.token }),
      call(other, '', { token: app.token }),
      call(app, '', { app_version: '3' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const tails = [await stored(app), await stored(other)].map((each) => each?.token_tail)
    const taken = tails.filter((tail) => tail !== null)
    expect(new Set(taken).size).toBe(taken.length)
    expect(taken.length).toBeGreaterThan(0)
  })

  it('logs out and keeps an anonymous subscription', async () => {
    const app = await installFor('anna')
    expect((await call(app, '/logout')).body.content).toMatchObject({ external_user_id: null })
    expect(await stored(app)).toMatchObject({ external_user_id: null, is_reachable: true })
  })

  it('is refused an assertion that another subscription has used', async () => {
    const [app, other] = [await install(), await install()]
    const identity_token = await identityToken('anna')
    expect((await call(app, '/identify', { identity_token })).status).toBe(200)
    const { status, body } = await call(other, '/identify', { identity_token })
    expect([status, body.content.field]).toEqual([400, 'identity_token'])
  })

  it('unsubscribes, after which it is a new one', async () => {
    const app = await install()
    expect((await call(app, '/unsubscribe')).status).toBe(200)
    expect(await call(app, '/unsubscribe')).toMatchObject(NOT_FOUND)
    expect(await stored(app)).toBeUndefined()
    const again = await install({ token: app.token })
    expect(again.subscription_id).not.toBe(app.subscription_id)
  })

  it('reports receipts, each of which counts once', async () => {
    const app = await install()
    const { db } = harness().stores
    const shop = { org_id: tenant.org_id, application_id } as Parameters<typeof addSentMessage>[1]
    const message_id = await addSentMessage(db, shop, [app.subscription_id])
    const receipts = [
      { message_id, kind: 'received' },
      { message_id, kind: 'clicked' },
      { message_id: randomUUID(), kind: 'clicked' },
    ]
    for (const _ of [1, 2]) {
      const { body } = await call(app, '/receipts', { receipts })
      expect(body.content).toEqual({ received: 3, known: 2 })
    }
    expect(await receiptsOf(db, message_id)).toEqual({ received: 1, clicked: 1 })
  })
})

describe('a subscription is closed', () => {
  const OPERATIONS: [path: string, body: () => Promise<object> | object][] = [
    ['', () => ({ permission: 'denied', token: newFcmToken() })],
    ['/identify', async () => ({ identity_token: await identityToken('eve') })],
    ['/logout', () => ({})],
    ['/receipts', () => ({ receipts: [{ message_id: randomUUID(), kind: 'clicked' }] })],
    ['/unsubscribe', () => ({})],
  ]

  it.each(OPERATIONS)('to those without its secret: %s', async (path, body) => {
    const [app, stranger] = [await installFor('anna'), await install()]
    const { subscription_secret } = stranger
    const before = await stored(app)
    for (const guess of [subscription_secret, 'vps_x', `${app.subscription_secret}x`]) {
      const answer = await call(app, path, { ...(await body()), subscription_secret: guess })
      expect(answer).toMatchObject(NOT_FOUND)
    }
    expect(await stored(app)).toEqual(before)
  })

  it.each(OPERATIONS)('to other keys and applications: %s', async (path, body) => {
    const app = await install()
    const before = await stored(app)
    const other = await harness().createTenant()
    const sibling = await addPushApplication(harness(), tenant.org_id)
    const sent = await body()
    for (const answer of [
      await call(app, path, sent, tenant.keys.test_public),
      await call(app, path, sent, other.keys.live_public),
      await call(app, path, { ...sent, ...sibling }),
    ]) {
      expect(answer).toMatchObject(NOT_FOUND)
    }
    expect((await call(app, path, sent, tenant.keys.live_secret)).status).toBe(403)
    expect(await stored(app)).toEqual(before)
  })

  it('to apps of the other environment, which cannot register either', async () => {
    const { status, body } = await post('', registration(), tenant.keys.test_public)
    expect([status, body.content.field]).toEqual([400, 'application_id'])
    expect((await post('', registration(), tenant.keys.live_secret)).status).toBe(403)
  })
})
