import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { backendOf, untilBlockedBy } from '../../../../test/support/locks.ts'
import { addApplication, type TestApplication } from '../../../../test/support/push-fixtures.ts'
import {
  addSubscriptions,
  batchesOf,
  messageOf,
  recipientsOf,
} from '../../../../test/support/push-messages.ts'
import { createIds } from '../../../platform/ids.ts'
import type { Mode } from '../../../platform/owner.ts'
import { HOUR_MS } from '../../../platform/time-units.ts'
import type { MessageRequest } from './schema.ts'
import { createMessages } from './service.ts'

const db = ownDatabase()

function setUp() {
  const hints = { count: 0 }
  const messages = createMessages({
    db,
    clock: { now: () => new Date() },
    newId: createIds(),
    hint: () => {
      hints.count += 1
    },
    push_schedule_days: 90,
    push_retry_hours: 24,
  })
  const send = async (
    { org_id, application_id }: TestApplication,
    request: MessageRequest,
    { key = randomUUID(), mode = 'live' }: { key?: string; mode?: Mode } = {},
  ) => await messages.create({ org_id, mode }, key, { application_id, title: 'Hello', ...request })
  return { hints, messages, send }
}

const fieldOf = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  return (error as { body?: { content?: { field?: string } } } | undefined)?.body?.content?.field
}
const messagesOf = async ({ org_id }: TestApplication) =>
  await db.selectFrom('push_messages').selectAll().where('org_id', '=', org_id).execute()
const keysOf = async ({ org_id }: TestApplication) =>
  await db.selectFrom('push_idempotency_keys').selectAll().where('org_id', '=', org_id).execute()

describe('a message', () => {
  it('to a few targets creates recipients in the same transaction, then wakes the expander', async () => {
    const { hints, send } = setUp()
    const app = await addApplication(db)
    const ids = await addSubscriptions(db, app, 3, { user: 'anna' })
    const { answer, is_replay } = await send(app, { external_user_ids: ['anna', 'nobody'] })
    expect(answer).toEqual({ message_id: answer.message_id, status: 'queued', targeted: 3 })
    expect([is_replay, hints.count]).toEqual([false, 1])
    const created = await recipientsOf(db, answer.message_id)
    expect(created.map(({ subscription_id }) => subscription_id)).toEqual(ids)
    expect(await messageOf(db, answer.message_id)).toMatchObject({
      status: 'sending',
      targeted: 3,
      recipients: 3,
      expand_at: null,
      content: { title: 'Hello' },
    })
    expect(await batchesOf(db, answer.message_id)).toMatchObject([{ is_broadcast: false }])
  })

  it('to all or many targets is counted and left to the expander', async () => {
    const { hints, send } = setUp()
    const app = await addApplication(db)
    const ids = await addSubscriptions(db, app, 4)
    await addSubscriptions(db, app, 1, { permission: 'denied' })
    const many = [...ids, ...Array.from({ length: 100 }, () => randomUUID())]
    for (const target of [{ all: true }, { subscription_ids: many }]) {
      const { answer } = await send(app, target)
      expect(answer).toMatchObject({ status: 'queued', targeted: 4 })
      expect(await recipientsOf(db, answer.message_id)).toEqual([])
      const { status, expand_at, send_at, created_at } = await messageOf(db, answer.message_id)
      expect({ status, expand_at, send_at }).toEqual({
        status: 'queued',
        expand_at: created_at,
        send_at: created_at,
      })
    }
    expect(hints.count).toBe(2)
  })

  it('for later stays scheduled, and counts the currently reachable targets', async () => {
    const { hints, send } = setUp()
    const app = await addApplication(db)
    await addSubscriptions(db, app, 2, { user: 'anna' })
    const send_at = new Date(Date.now() + HOUR_MS)
    const { answer } = await send(app, {
      external_user_ids: ['anna'],
      send_at: send_at.toISOString(),
    })
    expect(answer).toMatchObject({ status: 'scheduled', targeted: 2 })
    expect(await messageOf(db, answer.message_id)).toMatchObject({
      status: 'scheduled',
      send_at,
      expand_at: send_at,
      give_up_at: new Date(send_at.getTime() + 24 * HOUR_MS),
      recipients: 0,
    })
    expect(hints.count).toBe(0)
  })

  it.each([
    [60, 60],
    [0, 24 * 3600],
    [90_000, 24 * 3600],
  ])('with a TTL of %i seconds is given up after %i', async (ttl_seconds, seconds) => {
    const { send } = setUp()
    const { answer } = await send(await addApplication(db), { all: true, ttl_seconds })
    const { give_up_at, send_at } = await messageOf(db, answer.message_id)
    expect(give_up_at.getTime() - send_at.getTime()).toBe(seconds * 1000)
  })

  it('to no subscriptions is sent immediately', async () => {
    const { send } = setUp()
    const { answer } = await send(await addApplication(db), { external_user_ids: ['nobody'] })
    expect(answer).toMatchObject({ status: 'queued', targeted: 0 })
    expect(await messageOf(db, answer.message_id)).toMatchObject({ status: 'sent' })
  })

  it('never reaches subscriptions of others, however they are targeted', async () => {
    const { send } = setUp()
    const app = await addApplication(db)
    const others = [await addApplication(db, { org_id: app.org_id }), await addApplication(db)]
    const ids = await Promise.all(
      others.map(async (other) => await addSubscriptions(db, other, 2, { user: 'anna' })),
    )
    for (const target of [{ external_user_ids: ['anna'] }, { subscription_ids: ids.flat() }]) {
      const { answer } = await send(app, target)
      expect(answer.targeted).toBe(0)
      expect(await recipientsOf(db, answer.message_id)).toEqual([])
    }
  })

  it('can name a push configuration instead of an application', async () => {
    const { messages } = setUp()
    const { org_id, application_id, configuration_id } = await addApplication(db)
    const request = { push_configuration_id: configuration_id, all: true, title: 'Hello' }
    const { answer } = await messages.create({ org_id, mode: 'live' }, 'k', request)
    expect(await messageOf(db, answer.message_id)).toMatchObject({ application_id })
  })
})

describe('an application that cannot be used', () => {
  it('is rejected by name, and nothing is stored', async () => {
    const { hints, messages } = setUp()
    const app = await addApplication(db)
    const test = await addApplication(db, { org_id: app.org_id, environment: 'test' })
    const deleted = await addApplication(db, { org_id: app.org_id })
    const foreign = await addApplication(db)
    const bare = await addApplication(db, { org_id: app.org_id, configured: [] })
    await sql`update applications set deleted_at = now() where id = ${deleted.application_id}`.execute(
      db,
    )
    const create = async (name: Partial<MessageRequest>) =>
      await fieldOf(
        messages.create({ org_id: app.org_id, mode: 'live' }, 'k', {
          ...name,
          all: true,
          title: 'Hello',
        }),
      )
    for (const { application_id, configuration_id } of [test, deleted, foreign, bare]) {
      expect(await create({ application_id })).toBe('application_id')
      expect(await create({ push_configuration_id: configuration_id })).toBe(
        'push_configuration_id',
      )
    }
    expect(await create({ application_id: randomUUID() })).toBe('application_id')
    expect([await messagesOf(app), await keysOf(app), hints.count]).toEqual([[], [], 0])
  })

  it('is rejected with its environment, but only within the same organization', async () => {
    const { messages } = setUp()
    const app = await addApplication(db, { environment: 'test' })
    const foreign = await addApplication(db, { environment: 'test' })
    const refusal = async (name: Partial<MessageRequest>) =>
      await messages
        .create({ org_id: app.org_id, mode: 'live' }, 'k', { ...name, all: true, title: 'Hello' })
        .catch((error: Error) => error.message)
    const { application_id, configuration_id: push_configuration_id } = app
    const other = 'names a test application, but the key is for live'
    expect(await refusal({ application_id })).toBe(`application_id ${other}`)
    expect(await refusal({ push_configuration_id })).toBe(`push_configuration_id ${other}`)
    const none = 'does not name an application of the organization'
    for (const id of [foreign.application_id, randomUUID()]) {
      expect(await refusal({ application_id: id })).toBe(`application_id ${none}`)
    }
    for (const id of [foreign.configuration_id, randomUUID()]) {
      expect(await refusal({ push_configuration_id: id })).toBe(`push_configuration_id ${none}`)
    }
  })
})

describe('an idempotency key', () => {
  it('returns the first answer again, whatever happened to message and application', async () => {
    const { hints, send } = setUp()
    const app = await addApplication(db)
    await addSubscriptions(db, app, 2)
    const first = await send(app, { all: true }, { key: 'k' })
    await addSubscriptions(db, app, 2)
    await sql`delete from push_configurations where org_id = ${app.org_id}`.execute(db)
    await sql`update applications set deleted_at = now() where org_id = ${app.org_id}`.execute(db)
    const second = await send(app, { all: true }, { key: 'k' })
    expect(second).toEqual({ answer: first.answer, is_replay: true })
    expect([(await messagesOf(app)).length, hints.count]).toEqual([1, 1])
  })

  it('used for a different request is rejected', async () => {
    const { send } = setUp()
    const app = await addApplication(db)
    await send(app, { all: true }, { key: 'k' })
    expect(await fieldOf(send(app, { all: true, badge: 1 }, { key: 'k' }))).toBe('Idempotency-Key')
    expect(await messagesOf(app)).toHaveLength(1)
  })

  it('is scoped to its organization and mode', async () => {
    const { send } = setUp()
    const live = await addApplication(db)
    const test = await addApplication(db, { org_id: live.org_id, environment: 'test' })
    const other = await addApplication(db)
    const sent = [
      await send(live, { all: true }, { key: 'k' }),
      await send(test, { all: true }, { key: 'k', mode: 'test' }),
      await send(other, { all: true }, { key: 'k' }),
    ]
    expect(sent.map(({ is_replay }) => is_replay)).toEqual([false, false, false])
  })

  it('in twenty concurrent requests creates one message and one answer', async () => {
    const { hints, send } = setUp()
    const app = await addApplication(db)
    await addSubscriptions(db, app, 5, { user: 'anna' })
    const all = await Promise.all(
      Array.from({ length: 20 }, () => send(app, { external_user_ids: ['anna'] }, { key: 'k' })),
    )
    const [message, ...more] = await messagesOf(app)
    expect(more).toEqual([])
    expect(new Set(all.map(({ answer }) => JSON.stringify(answer))).size).toBe(1)
    expect(all[0]?.answer).toEqual({ message_id: message?.id, status: 'queued', targeted: 5 })
    expect(all.filter(({ is_replay }) => !is_replay)).toHaveLength(1)
    expect(hints.count).toBe(1)
    expect(await recipientsOf(db, String(message?.id))).toHaveLength(5)
  })

  it('in concurrent different requests is used by only one of them', async () => {
    const { send } = setUp()
    const app = await addApplication(db)
    const all = await Promise.all(
      [1, 2, 3, 4].map((badge) => fieldOf(send(app, { all: true, badge }, { key: 'k' }))),
    )
    expect(all.filter((field) => field === 'Idempotency-Key')).toHaveLength(3)
    expect(await messagesOf(app)).toHaveLength(1)
  })

  it('of a rejected request can be reused', async () => {
    const { send } = setUp()
    const app = await addApplication(db)
    const bad = send(app, { all: true, data: { vigil_x: '1' } }, { key: 'k' })
    expect(await fieldOf(bad)).toBe('data.vigil_x')
    expect(await keysOf(app)).toEqual([])
    expect((await send(app, { all: true }, { key: 'k' })).is_replay).toBe(false)
  })

  it('is used by a waiting request when the first one is rolled back', async () => {
    const { send } = setUp()
    const app = await addApplication(db)
    const undo = new Error('undone')
    let second: ReturnType<typeof send> | undefined
    const first = db.transaction().execute(async (tx) => {
      await sql`
        insert into push_idempotency_keys
          (org_id, mode, key, fingerprint, message_id, answer, created_at)
        values (${app.org_id}, 'live', 'k', '', ${randomUUID()}, '{}', now())`.execute(tx)
      second = send(app, { all: true }, { key: 'k' })
      await untilBlockedBy(db, await backendOf(tx))
      throw undo
    })
    await expect(first).rejects.toBe(undo)
    expect(await second).toMatchObject({ is_replay: false })
    expect(await messagesOf(app)).toHaveLength(1)
  })
})
