import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { createBareServer, NO_FACTOR } from '../../../../test/support/bare-server.ts'
import { addApplication, type TestApplication } from '../../../../test/support/push-fixtures.ts'
import { addSubscriptions, batchesOf, messageOf } from '../../../../test/support/push-messages.ts'
import { createIds } from '../../../platform/ids.ts'
import { HOUR_MS } from '../../../platform/time-units.ts'
import type { Role } from '../../accounts/tables.ts'
import { markDeleted } from '../../applications/store.ts'
import { expandStep } from '../expansion/step.ts'
import { pushMessageRoutes } from './console.ts'
import { createMessageOperations } from './operations.ts'
import { createMessages } from './service.ts'

const db = ownDatabase()
const inHours = (hours: number) => new Date(Date.now() + hours * HOUR_MS).toISOString()

type Content = Record<string, unknown>
type Given = { body?: Content; query?: Record<string, string>; key?: string | undefined }

async function setUp(role: Role = 'admin') {
  const app = await addApplication(db)
  const hints = { count: 0 }
  const { org_id } = app
  const server = createBareServer({
    authenticators: {
      token: () => Promise.resolve({ user_id: randomUUID() }),
      membership: (user_id, orgId) =>
        Promise.resolve(
          orgId === org_id
            ? { org_id, user_id, role, plan: 'free', cell: 'main', ...NO_FACTOR }
            : undefined,
        ),
    },
  })
  const parts = {
    db,
    clock: { now: () => new Date() },
    hint: () => {
      hints.count += 1
    },
    push_schedule_days: 90,
  }
  pushMessageRoutes(server, {
    messages: createMessages({ ...parts, newId: createIds(), push_retry_hours: 24 }),
    operations: createMessageOperations(parts),
    field_limits: { push_targets_max: 10, push_schedule_days: 90 },
  })
  await server.ready()
  const call = async (method: 'GET' | 'POST', path: string, { body, query, key }: Given = {}) => {
    const search = new URLSearchParams({ org_id: app.org_id, ...query }).toString()
    const answer = await server.inject({
      method,
      url: `/console/api/push/messages${path}${method === 'GET' ? `?${search}` : ''}`,
      headers: {
        authorization: 'Bearer token',
        ...(method === 'POST' && { 'content-type': 'application/json' }),
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      ...(method === 'POST' && { payload: JSON.stringify({ org_id: app.org_id, ...body }) }),
    })
    const { content } = JSON.parse(answer.body) as { content: Content }
    return { status: answer.statusCode, content }
  }
  const send = async (given: Content = {}, to: TestApplication = app) => {
    const body = { application_id: to.application_id, all: true, title: 'Hello', ...given }
    const { content } = await call('POST', '', { body, key: randomUUID() })
    return String(content['message_id'])
  }
  return { app, hints, call, send }
}

const step = async (id: string, max?: number) =>
  await db.transaction().execute(async (tx) => await expandStep(tx, id, max))

describe('sending from the console', () => {
  it('requires an idempotency key and reaches applications of both environments', async () => {
    const { app, call, hints } = await setUp()
    const test = await addApplication(db, { org_id: app.org_id, environment: 'test' })
    for (const { application_id } of [app, test]) {
      const body = { application_id, all: true, title: 'Hello' }
      const first = await call('POST', '', { body, key: 'k' })
      expect(first).toMatchObject({ status: 200, content: { status: 'queued', targeted: 0 } })
      expect(await call('POST', '', { body, key: 'k' })).toEqual(first)
      const other = await call('POST', '', { body: { ...body, badge: 1 }, key: 'k' })
      expect(other).toMatchObject({ status: 400, content: { field: 'Idempotency-Key' } })
      expect(await call('POST', '', { body })).toMatchObject({
        status: 400,
        content: { field: 'Idempotency-Key' },
      })
    }
    expect(hints.count).toBe(2)
  })

  it('never reaches applications of other organizations', async () => {
    const { call } = await setUp()
    const { application_id } = await addApplication(db)
    const body = { application_id, all: true, title: 'Hello' }
    expect(await call('POST', '', { body, key: 'k' })).toMatchObject({
      status: 400,
      content: { field: 'application_id' },
    })
  })
})

describe('the messages of an application', () => {
  it('are listed newest first, page by page', async () => {
    const { app, call, send } = await setUp()
    const other = await addApplication(db, { org_id: app.org_id })
    const ids = [await send(), await send(), await send()]
    await send({}, other)
    const list = async (query: Record<string, string>) => {
      const answer = await call('GET', '', {
        query: { application_id: app.application_id, ...query },
      })
      return (answer.content as unknown as { id: string }[]).map(({ id }) => id)
    }
    expect(await list({})).toEqual(ids.toReversed())
    expect(await list({ limit: '2' })).toEqual([ids[2], ids[1]])
    expect(await list({ limit: '2', before: String(ids[1]) })).toEqual([ids[0]])
  })

  it.each([
    ['application_id', { application_id: randomUUID() }],
    ['application_id', { application_id: 'x' }],
    ['before', { before: 'x' }],
    ['before', { before: `urn:uuid:${randomUUID()}` }],
    ['limit', { limit: '201' }],
  ])('reject a list with an invalid %s by name (%#)', async (field, query) => {
    const { app, call } = await setUp()
    const request = { query: { application_id: app.application_id, ...query } }
    expect(await call('GET', '', request)).toMatchObject({ status: 400, content: { field } })
  })

  it('are shown with their outcomes', async () => {
    const { app, call, send } = await setUp()
    await addSubscriptions(db, app, 6)
    const id = await send()
    await step(id)
    await sql`
      update push_recipients set status = 'failed', reason = case
        when subscription_id = (select min(subscription_id::text)::uuid from push_recipients
          where message_id = ${id}) then 'expired' else 'UNREGISTERED' end
      where message_id = ${id} and subscription_id in (
        select subscription_id from push_recipients where message_id = ${id}
        order by subscription_id limit 3)`.execute(db)
    await sql`update push_messages set failed = 3, accepted = 2 where id = ${id}`.execute(db)
    const { status, content } = await call('GET', `/${id}`)
    expect(status).toBe(200)
    expect(content).toEqual({
      id,
      application_id: app.application_id,
      target: 'all',
      targets: 0,
      content: { title: 'Hello' },
      status: 'sending',
      send_at: expect.stringMatching(/Z$/) as string,
      targeted: 6,
      recipients: 6,
      pending: 1,
      cancelled: 0,
      accepted: 2,
      failed: 3,
      received: 0,
      clicked: 0,
      created_at: expect.stringMatching(/Z$/) as string,
      completed_at: null,
      failures: [
        { provider: 'fcm', reason: 'UNREGISTERED', count: 2 },
        { provider: 'fcm', reason: 'expired', count: 1 },
      ],
      is_partial: false,
    })
  })

  it('have recipients, listed page by page and filtered by status', async () => {
    const { app, call, send } = await setUp()
    const fcm = await addSubscriptions(db, app, 3, { user: 'anna' })
    const apns = await addSubscriptions(db, app, 2, { provider: 'apns' })
    const id = await send()
    await step(id)
    type Page = { recipients: { subscription_id: string }[]; next: string | null }
    const page = async (query: Record<string, string>) => {
      const { content } = await call('GET', `/${id}/recipients`, { query })
      const { recipients, next } = content as unknown as Page
      return { ids: recipients.map(({ subscription_id }) => subscription_id), next }
    }
    const first = await page({ limit: '4' })
    expect(first.ids).toEqual([...apns, ...fcm.slice(0, 2)])
    const second = await page({ limit: '4', after: String(first.next) })
    expect(second).toEqual({ ids: [fcm[2]], next: null })
    expect((await page({ status: 'failed' })).ids).toEqual([])
    expect((await page({ status: 'pending' })).ids).toHaveLength(5)
    const { content } = await call('GET', `/${id}/recipients`, { query: { limit: '3' } })
    expect((content as unknown as Page).recipients[2]).toEqual({
      provider: 'fcm',
      subscription_id: fcm[0],
      external_user_id: 'anna',
      status: 'pending',
      attempts: 0,
      due_at: null,
      reason: null,
      provider_id: null,
      settled_at: null,
      received_at: null,
      clicked_at: null,
    })
    for (const after of ['x', `fcm:x`, `sms:${id}`, `fcm:${id}:1`]) {
      expect(await call('GET', `/${id}/recipients`, { query: { after } })).toMatchObject({
        status: 400,
        content: { field: 'after' },
      })
    }
  })
})

describe('canceling', () => {
  it('removes pending recipients, and is idempotent', async () => {
    const { app, call, send } = await setUp()
    await addSubscriptions(db, app, 5)
    const ids = [await send(), await send(), await send({ send_at: inHours(1) })]
    await step(String(ids[0]), 2)
    for (const id of [...ids, ...ids]) {
      const { status, content } = await call('POST', `/${id}/cancel`)
      expect([status, content['status']]).toEqual([200, 'cancelled'])
      expect(await batchesOf(db, id)).toEqual([])
      expect(await step(id)).toBeUndefined()
    }
  })

  it('shows recipients without an outcome as canceled, not as pending', async () => {
    const { app, call, send } = await setUp()
    const subscribed = await addSubscriptions(db, app, 4)
    const id = await send()
    await step(id)
    const [done = '', tried = '', ...rest] = subscribed
    await sql`update push_recipients set status = 'accepted' where subscription_id = ${done}`.execute(
      db,
    )
    await sql`update push_recipients set due_at = now(), reason = 'UNAVAILABLE', attempts = 1
      where subscription_id = ${tried}`.execute(db)
    await sql`update push_messages set accepted = 1 where id = ${id}`.execute(db)
    type Shown = { subscription_id: string; status: string; reason: string; due_at: string }
    const shown = async (status?: string) => {
      const query: Record<string, string> = status === undefined ? {} : { status }
      const { content } = await call('GET', `/${id}/recipients`, { query })
      return content['recipients'] as Shown[]
    }
    expect((await shown('pending')).map((each) => each.subscription_id)).toEqual([tried, ...rest])
    expect(await shown('cancelled')).toEqual([])
    await call('POST', `/${id}/cancel`)
    expect(await shown('pending')).toEqual([])
    expect((await shown()).map(({ status }) => status)).toEqual([
      'accepted',
      'cancelled',
      'cancelled',
      'cancelled',
    ])
    const cancelled = await shown('cancelled')
    expect(cancelled.map((each) => each.subscription_id)).toEqual([tried, ...rest])
    expect(cancelled[0]).toMatchObject({ reason: 'UNAVAILABLE', due_at: null })
    const { content } = await call('GET', `/${id}`)
    expect(content).toMatchObject({ recipients: 4, accepted: 1, pending: 0, cancelled: 3 })
    const unknown = await call('GET', `/${id}/recipients`, { query: { status: 'gone' } })
    expect(unknown).toMatchObject({ status: 400, content: { field: 'status' } })
  })

  it('is too late for a message that has ended', async () => {
    const { call, send } = await setUp()
    const id = await send()
    await step(id)
    expect(await call('POST', `/${id}/cancel`)).toMatchObject({
      status: 400,
      content: { field: 'id' },
    })
    expect(await messageOf(db, id)).toMatchObject({ status: 'sent' })
  })
})

describe('rescheduling', () => {
  it('moves the send time together with the time to give up', async () => {
    const { call, send, hints } = await setUp()
    const id = await send({ send_at: inHours(1) })
    const { give_up_at, send_at } = await messageOf(db, id)
    const later = inHours(5)
    const { status, content } = await call('POST', `/${id}/schedule`, { body: { send_at: later } })
    expect({ status, send_at: content['send_at'] }).toEqual({ status: 200, send_at: later })
    const moved = await messageOf(db, id)
    expect(moved).toMatchObject({ status: 'scheduled', expand_at: new Date(later) })
    expect(moved.give_up_at.getTime() - moved.send_at.getTime()).toBe(
      give_up_at.getTime() - send_at.getTime(),
    )
    const now = await call('POST', `/${id}/schedule`, { body: { send_at: inHours(-1) } })
    expect(now).toMatchObject({ status: 200, content: { status: 'queued' } })
    expect(hints.count).toBe(2)
    expect(await step(id)).toMatchObject({ is_done: true })
  })

  it('applies only to scheduled messages, and only to valid times', async () => {
    const { app, call, send } = await setUp()
    await addSubscriptions(db, app, 1)
    const id = await send()
    expect(await call('POST', `/${id}/schedule`, { body: { send_at: inHours(1) } })).toMatchObject({
      status: 400,
      content: { field: 'id' },
    })
    const scheduled = await send({ send_at: inHours(1) })
    for (const send_at of ['x', inHours(24 * 91), '2026-02-31T00:00:00Z']) {
      const refused = await call('POST', `/${scheduled}/schedule`, { body: { send_at } })
      expect(refused).toMatchObject({ status: 400, content: { field: 'send_at' } })
    }
  })
})

describe('access to messages', () => {
  it('members can read, owners and admins can act, and others find nothing', async () => {
    const member = await setUp('member')
    const { application_id } = member.app
    const query = { application_id }
    expect((await member.call('GET', '', { query })).status).toBe(200)
    const body = { application_id, all: true, title: 'Hello', send_at: inHours(1) }
    for (const path of ['', `/${randomUUID()}/cancel`, `/${randomUUID()}/schedule`]) {
      expect((await member.call('POST', path, { body, key: 'k' })).status).toBe(403)
      const foreign = { ...body, org_id: randomUUID() }
      expect((await member.call('POST', path, { body: foreign, key: 'k' })).status).toBe(404)
    }
    const foreign = { ...query, org_id: randomUUID() }
    expect((await member.call('GET', '', { query: foreign })).status).toBe(404)
  })

  it('messages of a deleted application are not found', async () => {
    const { app, call, send } = await setUp()
    const id = await send({ send_at: inHours(1) })
    const { org_id, application_id } = app
    await db.transaction().execute(async (tx) => await markDeleted(tx, org_id, application_id))
    expect((await call('GET', `/${id}`)).status).toBe(404)
    expect((await call('GET', `/${id}/recipients`)).status).toBe(404)
    const list = await call('GET', '', { query: { application_id } })
    expect(list).toMatchObject({ status: 400, content: { field: 'application_id' } })
  })

  it('messages of other organizations and unknown ids are not found', async () => {
    const { call } = await setUp()
    const other = await setUp()
    const body = { send_at: inHours(1) }
    for (const id of [await other.send(body), randomUUID(), 'x']) {
      expect((await call('GET', `/${id}`)).status).toBe(404)
      expect((await call('GET', `/${id}/recipients`)).status).toBe(404)
      expect((await call('POST', `/${id}/cancel`)).status).toBe(404)
      expect((await call('POST', `/${id}/schedule`, { body })).status).toBe(404)
    }
  })
})
