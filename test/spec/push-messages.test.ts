/** Specification, "Push": validation, idempotency and scheduling of messages (OP-33). */

import { randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import type { PushApp } from '../../emulators/push-app/index.ts'
import type { MessageDetails } from '../../src/modules/push/index.ts'
import { DAY_MS } from '../../src/platform/time-units.ts'
import { countRows } from '../support/books.ts'
import { post, type Sent, type Shop, usePushService } from '../support/push-service.ts'

const service = usePushService()
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
/** Number of times the phone received the message. */
const arrivals = (app: PushApp, messageId: string): number => {
  const { fcm, apns } = service()
  const isAndroid = app === anna || app === ben
  const { last } = (isAndroid ? fcm : apns).getPhone(app.phoneId() ?? '')
  return last.filter(({ body }) => JSON.stringify(body).includes(messageId)).length
}

type Given = { key?: string | null; of?: Shop }
const create = async (body: object, { key, of = shop }: Given = {}) =>
  await of.callApi<Sent & { field: string }>(
    '/messages',
    { application_id: of.application_id, title: 'Hello', ...body },
    key === undefined ? {} : { idempotency_key: key },
  )
const rowsOf = async (of: Shop = shop) => await countRows(service().harness.stores.db, of.org_id)

async function refused(body: object, field: string, given?: Given): Promise<void> {
  const { status, body: answer } = await create(body, given)
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
    const before = await rowsOf()
    await refused({ all: true }, 'Idempotency-Key', { key: null })
    await refused({ all: true, idempotency_key: randomUUID() }, 'Idempotency-Key', { key: null })
    for (const key of ['', ' ', 'two words', 'ü', '"', '""', '"open', 'x'.repeat(256)]) {
      await refused({ all: true }, 'Idempotency-Key', { key })
    }
    expect(await rowsOf()).toEqual(before)
  })

  it('makes repeated requests one message with one answer', async () => {
    const key = `order-8841:${randomUUID()}`
    const body = { subscription_ids: [idOf(ben)], data: { a: '1', b: '2' } }
    const first = await create(body, { key })
    await shop.settled(first.body.content.message_id)
    const before = await rowsOf()
    // The order of fields and the quotes around the key do not matter.
    const same = { data: { b: '2', a: '1' }, subscription_ids: [idOf(ben)] }
    for (const again of [await create(same, { key }), await create(body, { key: `"${key}"` })]) {
      expect({ status: again.status, body: again.body }).toEqual({ status: 200, body: first.body })
      expect(again.headers['idempotency-replayed']).toBe('true')
    }
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    expect(await rowsOf()).toEqual(before)
  })

  it('makes concurrent requests one message with one answer', async () => {
    const key = randomUUID()
    const answers = await Promise.all(
      Array.from({ length: 12 }, async () => await create({ external_user_ids: ['ben'] }, { key })),
    )
    expect(new Set(answers.map(({ status, body }) => JSON.stringify({ status, body }))).size).toBe(
      1,
    )
    expect(answers.filter(({ headers }) => !('idempotency-replayed' in headers))).toHaveLength(1)
    const { message_id = '' } = answers[0]?.body.content ?? {}
    await shop.settled(message_id)
    expect(arrivals(ben, message_id)).toBe(1)
  })

  it('rejects a different request: 400, and the first message does not change', async () => {
    const key = randomUUID()
    const first = await create({ all: true, send_at: inDays(1) }, { key })
    const before = await rowsOf()
    await refused({ all: true, send_at: inDays(1), title: 'Hi' }, 'Idempotency-Key', { key })
    await refused({ external_user_ids: ['anna'] }, 'Idempotency-Key', { key })
    expect(await rowsOf()).toEqual(before)
    expect(await shop.message(first.body.content.message_id)).toMatchObject({ status: 'scheduled' })
  })

  it('of a rejected request can be used again', async () => {
    const key = randomUUID()
    await refused({ all: true, ttl_seconds: -1 }, 'ttl_seconds', { key })
    await refused({ all: true, application_id: randomUUID() }, 'application_id', { key })
    expect((await create({ external_user_ids: ['nobody'] }, { key })).status).toBe(200)
  })

  it('is scoped to organization and mode: others can use the same one', async () => {
    const test = await service().createShop({ sibling: shop, environment: 'test' })
    const theirs = await service().createShop()
    const key = randomUUID()
    const answers = [shop, test, theirs].map(async (of) => await create({ all: true }, { key, of }))
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

  it('must be of exactly one kind: otherwise 400 naming the extra one, or the first if none is given', async () => {
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

  it('of another application or organization match no one', async () => {
    const theirs = await service().createShop()
    const app = await theirs.install('android', 'anna')
    expect(await shop.send({ subscription_ids: [idOf(app)] })).toMatchObject({ targeted: 0 })
    expect(await theirs.send({ external_user_ids: ['anna'] })).toMatchObject({ targeted: 1 })
  })
})

describe('the application of a message', () => {
  it('is named by its id or that of its push configuration, but not by both', async () => {
    const { application_id, configuration_id: push_configuration_id } = shop
    const byOther = { application_id: undefined, push_configuration_id, all: true }
    expect((await create(byOther)).body.content).toMatchObject({ targeted: 4 })
    await refused({ application_id, push_configuration_id, all: true }, 'push_configuration_id')
    await refused({ application_id: undefined, all: true }, 'application_id')
  })

  it('must match the organization and mode of the key: otherwise 400', async () => {
    const theirs = await service().createShop()
    const test = await service().createShop({ sibling: shop, environment: 'test' })
    for (const { application_id, configuration_id } of [theirs, test]) {
      await refused({ application_id, all: true }, 'application_id')
      const byOther = { application_id: undefined, push_configuration_id: configuration_id }
      await refused({ ...byOther, all: true }, 'push_configuration_id')
    }
  })
})

describe('the content of a message', () => {
  it('requires title, body or data, and is rejected if a provider would reject it', async () => {
    const to = { subscription_ids: [idOf(anonymous)], title: undefined }
    for (const content of [{ title: 'T' }, { body: 'B' }, { data: { a: '1' } }]) {
      expect((await create({ ...to, ...content })).status).toBe(200)
    }
    await refused(to, 'title')
    await refused({ ...to, data: {} }, 'title')
    await refused({ ...to, data: { vigil_message_id: 'x' } }, 'data.vigil_message_id')
    await refused({ ...to, data: { from: 'x' } }, 'data.from')
    await refused({ ...to, body: 'x'.repeat(4096) }, 'body')
    await refused({ ...to, title: 'T', image: 'http://img.example/1.png' }, 'image')
  })
})

describe('a scheduled message', () => {
  const ENDED = { status: 400, body: { content: { field: 'id' } } }
  const read = async (id: string): Promise<MessageDetails> => await shop.message(id)
  const change = async (id: string, how: 'cancel' | 'schedule', body: object = {}) =>
    await shop.console<MessageDetails & { field: string }>(post(`/messages/${id}/${how}`, body))

  it('waits for its time; a time in the past sends immediately', async () => {
    const later = await shop.send({ external_user_ids: ['ben'], send_at: inDays(1) })
    expect(later).toMatchObject({ status: 'scheduled', targeted: 1 })
    const now = await shop.send({ external_user_ids: ['ben'], send_at: inDays(-1) })
    expect(now).toMatchObject({ status: 'queued', targeted: 1 })
    expect(await shop.settled(now.message_id)).toMatchObject({ status: 'sent', accepted: 1 })
    expect(await read(later.message_id)).toMatchObject({ status: 'scheduled', recipients: 0 })
  })

  it('requires RFC 3339 and not too far ahead: 400 naming send_at', async () => {
    for (const send_at of [inDays(91), '2026-13-01T00:00:00Z', '12:00', '', 0]) {
      await refused({ all: true, send_at }, 'send_at')
    }
  })

  it('can be rescheduled until it has started, even to now', async () => {
    const { message_id } = await shop.send({ external_user_ids: ['ben'], send_at: inDays(1) })
    const send_at = inDays(2)
    expect(await change(message_id, 'schedule', { send_at })).toMatchObject({
      status: 200,
      body: { content: { status: 'scheduled', send_at } },
    })
    expect((await change(message_id, 'schedule', { send_at: inDays(91) })).status).toBe(400)
    expect((await change(message_id, 'schedule', { send_at: inDays(-1) })).status).toBe(200)
    expect(await shop.settled(message_id)).toMatchObject({ status: 'sent', accepted: 1 })
    expect(await change(message_id, 'schedule', { send_at })).toMatchObject(ENDED)
  })

  it('reaches the subscriptions that exist at that time', async () => {
    const alone = await service().createShop()
    const sent = await alone.send({ external_user_ids: ['carla'], send_at: inDays(1) })
    expect(sent.targeted).toBe(0)
    const app = await alone.install('android', 'carla')
    const path = `/messages/${sent.message_id}/schedule`
    await alone.content(post(path, { send_at: inDays(-1) }))
    expect(await alone.settled(sent.message_id)).toMatchObject({ recipients: 1, accepted: 1 })
    expect(await app.open()).toMatchObject([{ message_id: sent.message_id }])
  })

  it('can be canceled until it has ended', async () => {
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
    expect(await change(done, 'cancel')).toMatchObject(ENDED)
    expect(await read(done)).toMatchObject({ status: 'sent' })
  })

  it('fails for devices whose provider has no credential', async () => {
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

describe('sending from the console', () => {
  it('works like sending through the API, with an idempotency key', async () => {
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
    // The same request through the API with that key is a replay.
    expect((await shop.callApi('/messages', body, { idempotency_key: key })).body).toEqual(
      first.body,
    )
  })
})
