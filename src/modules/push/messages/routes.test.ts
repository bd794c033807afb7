import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { ownDatabase } from '../../../../test/database.ts'
import { createBareServer } from '../../../../test/support/bare-server.ts'
import { addApplication } from '../../../../test/support/push-fixtures.ts'
import { addSubscriptions } from '../../../../test/support/push-messages.ts'
import { createValidators } from '../../../platform/http/validation.ts'
import { createIds } from '../../../platform/ids.ts'
import { messageRoutes } from './routes.ts'
import { createMessages } from './service.ts'

const db = ownDatabase()
const TARGETS_MAX = 3

async function setUp() {
  const app = await addApplication(db)
  const server = createBareServer({
    authenticators: {
      key: (text) =>
        Promise.resolve({
          org_id: app.org_id,
          key_id: randomUUID(),
          mode: 'live' as const,
          plan: 'starter' as const,
          cell: 'main',
          scopes: null,
          networks: null,
          kind: text === 'public' ? ('public' as const) : ('secret' as const),
        }),
    },
  })
  const messages = createMessages({
    db,
    clock: { now: () => new Date() },
    newId: createIds(),
    hint: () => undefined,
    push_schedule_days: 90,
    push_retry_hours: 24,
  })
  const field_limits = { push_targets_max: TARGETS_MAX, push_schedule_days: 90 }
  messageRoutes(server, { messages, validators: createValidators(), field_limits })
  await server.ready()
  const post = async (given: object, headers: Record<string, string> = {}) => {
    const answer = await server.inject({
      method: 'POST',
      url: '/v1/push-sdk/messages',
      headers: {
        'x-api-key': 'secret',
        'content-type': 'application/json',
        'idempotency-key': randomUUID(),
        ...headers,
      },
      payload: JSON.stringify(given),
    })
    const body = JSON.parse(answer.body) as {
      message: string
      code?: string
      content: Record<string, unknown>
    }
    return { status: answer.statusCode, headers: answer.headers, body, text: answer.body }
  }
  const stored = async () => {
    const of = async (table: 'push_messages' | 'push_idempotency_keys') =>
      (await db.selectFrom(table).selectAll().where('org_id', '=', app.org_id).execute()).length
    return [await of('push_messages'), await of('push_idempotency_keys')]
  }
  return {
    app,
    server,
    post,
    stored,
    least: { application_id: app.application_id, all: true, title: 'Hello' },
  }
}

describe('POST /v1/push-sdk/messages', () => {
  it('returns the message id, its status and the number of targets', async () => {
    const { app, post, least } = await setUp()
    await addSubscriptions(db, app, 2)
    const { status, headers, body } = await post(least)
    expect([status, headers['idempotency-replayed']]).toEqual([200, undefined])
    expect(body).toEqual({
      success: true,
      message: 'Message accepted',
      content: { message_id: body.content['message_id'], status: 'queued', targeted: 2 },
    })
    expect(body.content['message_id']).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('returns the same answer for the same request and key, quoted or not', async () => {
    const { post, stored, least } = await setUp()
    const first = await post(least, { 'idempotency-key': 'k-1' })
    const reordered = Object.fromEntries(Object.entries(least).toReversed())
    const second = await post({ ...reordered, unknown: 1 }, { 'idempotency-key': '"k-1"' })
    expect(second).toMatchObject({ status: 200, text: first.text })
    expect(second.headers['idempotency-replayed']).toBe('true')
    const other = await post({ ...least, title: 'Bye' }, { 'idempotency-key': 'k-1' })
    expect(other).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', content: { field: 'Idempotency-Key' } },
    })
    expect(await stored()).toEqual([1, 1])
  })

  it('requires a secret key', async () => {
    const { post, least } = await setUp()
    expect((await post(least, { 'x-api-key': 'public' })).status).toBe(403)
    expect((await post(least, { 'x-api-key': '' })).status).toBe(401)
  })

  it('requires an idempotency key in the header, not in the body', async () => {
    const { post, stored, least } = await setUp()
    for (const key of ['', 'a b', '"a', 'ä', 'k'.repeat(256)]) {
      const { status, body } = await post(
        { ...least, idempotency_key: 'k' },
        { 'idempotency-key': key },
      )
      expect({ status, field: body.content['field'] }).toEqual({
        status: 400,
        field: 'Idempotency-Key',
      })
    }
    expect(await stored()).toEqual([0, 0])
  })

  const UUID = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'
  it.each([
    ['application_id', { application_id: 'x' }],
    ['application_id', { application_id: `urn:uuid:${UUID}` }],
    ['application_id', { application_id: UUID }],
    ['application_id', { application_id: undefined }],
    ['push_configuration_id', { application_id: undefined, push_configuration_id: 1 }],
    ['push_configuration_id', { application_id: undefined, push_configuration_id: UUID }],
    ['push_configuration_id', { push_configuration_id: UUID }],
    ['all', { all: false }],
    ['all', { all: undefined }],
    ['external_user_ids', { external_user_ids: ['a'] }],
    ['external_user_ids', { all: undefined, external_user_ids: [] }],
    ['external_user_ids', { all: undefined, external_user_ids: ['a', 'b', 'c', 'd'] }],
    ['external_user_ids.1', { all: undefined, external_user_ids: ['a', ''] }],
    ['external_user_ids.0', { all: undefined, external_user_ids: ['a'.repeat(513)] }],
    ['subscription_ids.1', { all: undefined, subscription_ids: [UUID, 'x'] }],
    ['subscription_ids.0', { all: undefined, subscription_ids: [`urn:uuid:${UUID}`] }],
    ['title', { title: undefined }],
    ['title', { title: '' }],
    ['title', { title: null }],
    ['body', { body: 7 }],
    ['data', { data: ['a'] }],
    ['data.order', { data: { order: 8841 } }],
    ['data.vigil_a', { data: { vigil_a: 'x' } }],
    ['data.aps', { data: { aps: 'x' } }],
    ['data.google.x', { data: { 'google.x': 'x' } }],
    ['data.a', { data: { a: 'x'.repeat(4096) } }],
    ['body', { body: 'x'.repeat(5000) }],
    ['image', { image: 'javascript:alert(1)' }],
    ['deep_link', { deep_link: '' }],
    ['ttl_seconds', { ttl_seconds: -1 }],
    ['ttl_seconds', { ttl_seconds: 2_419_201 }],
    ['ttl_seconds', { ttl_seconds: 1.5 }],
    ['collapse_key', { collapse_key: {} }],
    ['priority', { priority: 'urgent' }],
    ['badge', { badge: 2_147_483_648 }],
    ['sound', { sound: true }],
    ['channel_id', { channel_id: '' }],
    ['send_at', { send_at: 'tomorrow' }],
    ['send_at', { send_at: '2026-02-31T00:00:00Z' }],
    ['send_at', { send_at: '2999-01-01T00:00:00Z' }],
    ['send_at', { send_at: 1_772_446_500 }],
  ])('rejects an invalid %s by name, and stores nothing: %j', async (field, given) => {
    const { post, stored, least } = await setUp()
    const { status, body } = await post({ ...least, ...given })
    expect({ status, code: body.code, field: body.content['field'] }).toEqual({
      status: 400,
      code: 'invalid_request',
      field,
    })
    expect(await stored()).toEqual([0, 0])
  })
})
