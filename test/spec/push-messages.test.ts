/** Specification, "Push": what is taken as a message, once each, and what can be changed of it (OP-33). */
import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { PushApp } from '../../emulators/push-app/index.ts'
import type { MessageDetails } from '../../src/modules/push/index.ts'
import { countRows } from '../support/books.ts'
import { type Sent, type Shop, usePushService } from '../support/push-service.ts'

const service = usePushService()
const DAY_MS = 86_400_000
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString()

let shop: Shop
let anna: PushApp
let annasOther: PushApp
let ben: PushApp
let anonymous: PushApp
beforeAll(async () => {
  shop = await service().createShop()
  anna = await shop.install('android', 'anna')
  annasOther = await shop.install('ios', 'anna')
  ben = await shop.install('android', 'ben')
  anonymous = await shop.install('ios')
})

const idOf = (app: PushApp): string => app.subscriptionId() ?? ''
/** How often the message came to the phone. */
const arrivals = (app: PushApp, messageId: string): number => {
  const { fcm, apns } = service()
  const isAndroid = app === anna || app === ben
  const { last } = (isAndroid ? fcm : apns).getPhone(app.phoneId() ?? '')
  return last.filter(({ body }) => JSON.stringify(body).includes(messageId)).length
}

type Given = { key?: string | null; of?: Shop }
const post = async (body: object, { key, of = shop }: Given = {}) =>
  await of.ask<Sent & { field: string }>(
    '/messages',
    { application_id: of.application_id, title: 'Hello', ...body },
    key === undefined ? {} : { idempotency_key: key },
  )
const bookOf = async (of: Shop = shop) => await countRows(service().harness.stores.db, of.org_id)

async function refused(body: object, field: string, given?: Given): Promise<void> {
  const { status, body: answer } = await post(body, given)
  const what = JSON.stringify({ body, given: given?.key })
  expect({ what, status, code: answer.code, field: answer.content.field }).toEqual({
    what,
    status: 400,
    code: 'invalid_request',
    field,
  })
}

describe('the idempotency key of a message', () => {
  it('is required on every request, as a header', async () => {
    const before = await bookOf()
    await refused({ all: true }, 'Idempotency-Key', { key: null })
    await refused({ all: true, idempotency_key: randomUUID() }, 'Idempotency-Key', { key: null })
    for (const key of ['', ' ', 'two words', 'ü', '"', '""', '"open', 'x'.repeat(256)]) {
      await refused({ all: true }, 'Idempotency-Key', { key })
    }
    expect(await bookOf()).toEqual(before)
  })

  it('makes of the same request one message and one answer, however often it comes', async () => {
    const key = `order-8841:${randomUUID()}`
    const body = { subscription_ids: [idOf(ben)], data: { a: '1', b: '2' } }
    const first = await post(body, { key })
    const before = await bookOf()
    // The order of members is not part of a request, and quotes are not part of the key.
    const same = { data: { b: '2', a: '1' }, subscription_ids: [idOf(ben)] }
    for (const again of [await post(same, { key }), await post(body, { key: `"${key}"` })]) {
      expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body })
      expect(again.headers['idempotency-replayed']).toBe('true')
    }
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    expect(await bookOf()).toEqual(before)
  })

  it('makes of requests that come at the same time one message and one answer', async () => {
    const key = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 12 }, async () => await post({ external_user_ids: ['ben'] }, { key })),
    )
    expect(new Set(answers.map(({ status, body }) => JSON.stringify({ status, body }))).size).toBe(
      1,
    )
    expect(answers.filter(({ headers }) => !('idempotency-replayed' in headers))).toHaveLength(1)
    const { message_id = '' } = answers[0]?.body.content ?? {}
    await shop.settled(message_id)
    expect(arrivals(ben, message_id)).toBe(1)
  })

  it('refuses another request: 400, and the first one stays what it is', async () => {
    const key = randomUUID()
    const first = await post({ all: true, send_at: inDays(1) }, { key })
    const before = await bookOf()
    await refused({ all: true, send_at: inDays(1), title: 'Hi' }, 'Idempotency-Key', { key })
    await refused({ external_user_ids: ['anna'] }, 'Idempotency-Key', { key })
    expect(await bookOf()).toEqual(before)
    expect(await shop.message(first.body.content.message_id)).toMatchObject({ status: 'scheduled' })
  })

  it('of a request that was refused can be used again', async () => {
    const key = randomUUID()
    await refused({ all: true, ttl_seconds: -1 }, 'ttl_seconds', { key })
    await refused({ all: true, application_id: randomUUID() }, 'application_id', { key })
    expect((await post({ external_user_ids: ['nobody'] }, { key })).status).toBe(200)
  })

  it('is one of the organisation and mode: others have the same without meeting', async () => {
    const test = await service().createShop({ beside: shop, environment: 'test' })
    const theirs = await service().createShop()
    const key = randomUUID()
    const answers = [shop, test, theirs].map(async (of) => await post({ all: true }, { key, of }))
    const ids = (await Promise.all(answers)).map(({ body }) => body.content.message_id)
    expect(new Set(ids).size).toBe(3)
  })
})

describe('the targets of a message', () => {
  it('are all subscribed devices, verified users, or exact subscriptions', async () => {
    expect(await shop.send({ all: true })).toMatchObject({ status: 'queued', targeted: 4 })
    const cases: [target: object, reached: PushApp[]][] = [
      [{ external_user_ids: ['anna'] }, [anna, annasOther]],
      [{ external_user_ids: ['anna', 'ben', 'ben', 'nobody'] }, [anna, annasOther, ben]],
      [{ subscription_ids: [idOf(anonymous), idOf(anonymous).toUpperCase()] }, [anonymous]],
      [{ subscription_ids: [idOf(ben), randomUUID()] }, [ben]],
    ]
    for (const [target, reached] of cases) {
      const sent = await shop.send(target)
      expect(sent, JSON.stringify(target)).toMatchObject({ targeted: reached.length })
      await shop.settled(sent.message_id)
      const { recipients } = await shop.content<{ recipients: { subscription_id: string }[] }>({
        path: `/messages/${sent.message_id}/recipients`,
      })
      expect(recipients.map(({ subscription_id }) => subscription_id).toSorted()).toEqual(
        reached.map(idOf).toSorted(),
      )
    }
  })

  it('are exactly one kind of them: 400 naming the one too many, or the first when none is', async () => {
    const users = { external_user_ids: ['anna'] }
    const ids = { subscription_ids: [idOf(anna)] }
    await refused({}, 'all')
    await refused({ all: false }, 'all')
    await refused({ all: true, ...users }, 'external_user_ids')
    await refused({ all: true, ...ids }, 'subscription_ids')
    await refused({ ...users, ...ids }, 'subscription_ids')
    await refused({ all: true, ...users, ...ids }, 'external_user_ids')
    await refused({ external_user_ids: [] }, 'external_user_ids')
    await refused({ subscription_ids: ['x'] }, 'subscription_ids.0')
  })

  it('of another application or organisation are nobody', async () => {
    const theirs = await service().createShop()
    const app = await theirs.install('android', 'anna')
    expect(await shop.send({ subscription_ids: [idOf(app)] })).toMatchObject({ targeted: 0 })
    expect(await theirs.send({ external_user_ids: ['anna'] })).toMatchObject({ targeted: 1 })
  })
})

describe('the application of a message', () => {
  it('is named by its id, or by that of its push configuration, and by one of them', async () => {
    const { application_id, configuration_id: push_configuration_id } = shop
    const byOther = { application_id: undefined, push_configuration_id, all: true }
    expect((await post(byOther)).body.content).toMatchObject({ targeted: 4 })
    await refused({ application_id, push_configuration_id, all: true }, 'push_configuration_id')
    await refused({ application_id: undefined, all: true }, 'application_id')
  })

  it('is of the organisation and of the mode of the key: 400 otherwise', async () => {
    const theirs = await service().createShop()
    const test = await service().createShop({ beside: shop, environment: 'test' })
    for (const { application_id, configuration_id } of [theirs, test]) {
      await refused({ application_id, all: true }, 'application_id')
      const byOther = { application_id: undefined, push_configuration_id: configuration_id }
      await refused({ ...byOther, all: true }, 'push_configuration_id')
    }
  })
})

describe('the content of a message', () => {
  it('is a title, a text or data; what no provider would take is refused', async () => {
    const to = { subscription_ids: [idOf(anonymous)], title: undefined }
    for (const content of [{ title: 'T' }, { body: 'B' }, { data: { a: '1' } }]) {
      expect((await post({ ...to, ...content })).status).toBe(200)
    }
    await refused(to, 'title')
    await refused({ ...to, data: {} }, 'title')
    await refused({ ...to, data: { vigil_message_id: 'x' } }, 'data.vigil_message_id')
    await refused({ ...to, data: { from: 'x' } }, 'data.from')
    await refused({ ...to, body: 'x'.repeat(4096) }, 'body')
    await refused({ ...to, title: 'T', image: 'http://img.example/1.png' }, 'image')
  })
})

describe('a message at a time', () => {
  const read = async (id: string): Promise<MessageDetails> => await shop.message(id)
  const change = async (id: string, how: 'cancel' | 'schedule', body: object = {}) =>
    await shop.console<MessageDetails & { field: string }>({
      method: 'POST',
      path: `/messages/${id}/${how}`,
      body,
    })

  it('waits for it; a time that is over is now', async () => {
    const later = await shop.send({ external_user_ids: ['ben'], send_at: inDays(1) })
    expect(later).toMatchObject({ status: 'scheduled', targeted: 1 })
    const now = await shop.send({ external_user_ids: ['ben'], send_at: inDays(-1) })
    expect(now).toMatchObject({ status: 'queued', targeted: 1 })
    expect(await shop.settled(now.message_id)).toMatchObject({ status: 'sent', accepted: 1 })
    expect(await read(later.message_id)).toMatchObject({ status: 'scheduled', recipients: 0 })
  })

  it('is RFC 3339 and not too far ahead: 400 naming send_at', async () => {
    for (const send_at of [inDays(91), '2026-13-01T00:00:00Z', '12:00', '', 0]) {
      await refused({ all: true, send_at }, 'send_at')
    }
  })

  it('can be moved, also to now, until it has begun', async () => {
    const { message_id } = await shop.send({ external_user_ids: ['ben'], send_at: inDays(1) })
    const send_at = inDays(2)
    expect(await change(message_id, 'schedule', { send_at })).toMatchObject({
      status: 200,
      body: { content: { status: 'scheduled', send_at } },
    })
    expect((await change(message_id, 'schedule', { send_at: inDays(91) })).status).toBe(400)
    expect((await change(message_id, 'schedule', { send_at: inDays(-1) })).status).toBe(200)
    expect(await shop.settled(message_id)).toMatchObject({ status: 'sent', accepted: 1 })
    expect(await change(message_id, 'schedule', { send_at })).toMatchObject({
      status: 400,
      body: { content: { field: 'id' } },
    })
  })

  it('reaches those who are subscribed when the time has come', async () => {
    const alone = await service().createShop()
    const sent = await alone.send({ external_user_ids: ['carla'], send_at: inDays(1) })
    expect(sent.targeted).toBe(0)
    const app = await alone.install('android', 'carla')
    const path = `/messages/${sent.message_id}/schedule`
    await alone.content({ method: 'POST', path, body: { send_at: inDays(-1) } })
    expect(await alone.settled(sent.message_id)).toMatchObject({ recipients: 1, accepted: 1 })
    expect(await app.open()).toMatchObject([{ message_id: sent.message_id }])
  })

  it('can be cancelled, once and for all, until it has ended', async () => {
    const { message_id } = await shop.send({ external_user_ids: ['ben'], send_at: inDays(1) })
    for (const _ of [1, 2]) {
      expect(await change(message_id, 'cancel')).toMatchObject({
        status: 200,
        body: { content: { status: 'cancelled', accepted: 0 } },
      })
    }
    expect((await change(message_id, 'schedule', { send_at: inDays(-1) })).status).toBe(400)
    expect(await read(message_id)).toMatchObject({ status: 'cancelled', recipients: 0 })
    const { message_id: done } = await shop.send({ external_user_ids: ['ben'] })
    await shop.settled(done)
    expect(await change(done, 'cancel')).toMatchObject({
      status: 400,
      body: { content: { field: 'id' } },
    })
    expect(await read(done)).toMatchObject({ status: 'sent' })
  })

  it('for devices whose provider has no credential has failed for them', async () => {
    const alone = await service().createShop({ credentials: ['apns'] })
    await alone.install('android')
    const app = await alone.install('ios')
    const { message_id, targeted } = await alone.send({ all: true })
    expect(targeted).toBe(2)
    expect(await alone.settled(message_id)).toMatchObject({
      status: 'partially_failed',
      accepted: 1,
      failures: [{ provider: 'fcm', reason: 'no_credential', count: 1 }],
    })
    expect(await app.open()).toHaveLength(1)
  })
})

describe('sending from the dashboard', () => {
  it('is like sending by the backend, with an idempotency key', async () => {
    const { application_id } = shop
    const body = { application_id, external_user_ids: ['ben'], title: 'Hello' }
    const key = randomUUID()
    const send = async (headers: Record<string, string>) =>
      await shop.console<Sent & { field: string }>({
        method: 'POST',
        path: '/messages',
        body,
        headers,
        as: 'admin',
      })
    expect((await send({})).body.content).toEqual({ field: 'Idempotency-Key' })
    const first = await send({ 'idempotency-key': key })
    expect(first.body.content).toMatchObject({ status: 'queued', targeted: 1 })
    expect((await send({ 'idempotency-key': key })).body).toEqual(first.body)
    // The backend's request under that key is the same one.
    expect((await shop.ask('/messages', body, { idempotency_key: key })).body).toEqual(first.body)
  })
})
