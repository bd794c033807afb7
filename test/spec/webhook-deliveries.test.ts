/** Specification, "Events", Delivery rules: from the cause of an event to its receiver. */

import { createHmac } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Received, type Receiver, startReceiver } from '../../emulators/receiver.ts'
import { EVENT_TYPES, emitEvents } from '../../src/modules/events/index.ts'
import type { Dispatcher } from '../../src/platform/dispatch/index.ts'
import { DAY_MS } from '../../src/platform/time-units.ts'
import { ownDatabase } from '../database.ts'
import { type Tenant, useHarness } from '../harness.ts'
import { startWebhookDispatcher } from '../support/webhook-dispatcher.ts'
import { deliveriesOf, letPass, newEvent } from '../support/webhooks.ts'

const DEADLINE_MS = 300
/** Longer than the deadline of an attempt. */
const GRACE_MS = 1000
const db = ownDatabase()
const harness = useHarness({ db, settings: { VIGIL_WEBHOOK_ALLOW: '127.0.0.1' } })

type Member = Tenant & { token: string }
type Hook = { id: string; secret: string }
type Delivery = Record<string, unknown> & { id: string; status: string }

let receiver: Receiver
let member: Member
let dispatcher: Dispatcher
beforeAll(async () => {
  receiver = await startReceiver()
})
afterAll(async () => await receiver.close())
beforeEach(async () => {
  const tenant = await harness().createTenant()
  member = { ...tenant, token: await harness().signIn(tenant.org_id) }
  receiver.clear()
  receiver.setScenario({})
  const given = { deadline_ms: DEADLINE_MS, retry_schedule_ms: [DAY_MS, DAY_MS] }
  dispatcher = startWebhookDispatcher(harness(), receiver.ca, given)
})
// Lets attempts end, because those that are cut off would be repeated during the next test.
afterEach(async () => await dispatcher.stop(GRACE_MS))

const call = async <C>(method: 'POST' | 'PATCH', path: string, body: Record<string, unknown>) => {
  const { org_id, token } = member
  const request = { method, path: `/v1/webhooks${path}`, token, body: { org_id, ...body } }
  const answer = await harness().call<C>(request)
  expect(answer.status).toBe(200)
  return answer.body.content
}
const create = async (path = '/hook', events: string[] = ['email.check.completed']) =>
  await call<Hook>('POST', '', { url: receiver.url + path, events })
const check = async (key = member.keys.live_secret) =>
  (await harness().post('/v1/check', { email: 'ann@gmail.com' }, { key })).body.content
const listed = async ({ id }: Hook): Promise<Delivery[]> => {
  const { org_id, token } = member
  const path = `/v1/webhooks/${id}/deliveries?org_id=${org_id}`
  return (await harness().call<Delivery[]>({ method: 'GET', path, token })).body.content
}
const until = async (assert: () => unknown) => await vi.waitFor(assert, { timeout: 10_000 })
const came = async (count: number): Promise<Received[]> => {
  await until(() => expect(receiver.received).toHaveLength(count))
  return receiver.received
}
const settled = async (hook: Hook, status: string): Promise<Delivery> => {
  await until(async () => expect((await listed(hook))[0]?.status).toBe(status))
  const [delivery] = await listed(hook)
  if (!delivery) throw new Error('no delivery found')
  return delivery
}

describe('a delivery', () => {
  it('is the event, signed with the secret of the endpoint', async () => {
    const hook = await create()
    receiver.setScenario({ secrets: [hook.secret] })
    const result = await check()
    const [request] = await came(1)
    if (!request) throw new Error('a request came')
    const { headers, body, signature } = request
    const event = JSON.parse(body) as Record<string, unknown>
    expect(signature).toBe('valid')
    expect(Object.keys(event)).toEqual(['id', 'type', 'timestamp', 'data'])
    expect(event).toMatchObject({ type: 'email.check.completed', data: result })
    expect(new Date(String(event['timestamp'])).toISOString()).toBe(event['timestamp'])
    expect(headers).toMatchObject({
      'x-service-event': 'email.check.completed',
      'x-service-delivery': event['id'],
      'content-type': 'application/json',
    })
    const [, t = '', v1] =
      /^t=(\d+),v1=([0-9a-f]{64})$/.exec(headers['x-service-signature'] ?? '') ?? []
    expect(v1).toBe(createHmac('sha256', hook.secret).update(`${t}.${body}`).digest('hex'))
    expect(Math.abs(Number(t) - Date.now() / 1000)).toBeLessThan(60)
    expect(await settled(hook, 'succeeded')).toMatchObject({
      event_id: event['id'],
      attempts: 1,
      response_status: 200,
      next_attempt_at: null,
      error: null,
    })
  })

  it.each(EVENT_TYPES)('exists for every documented event: %s', async (type) => {
    await create('/wants', [type])
    await create(
      '/does-not',
      EVENT_TYPES.filter((other) => other !== type),
    )
    await emitEvents(db, [newEvent(member.org_id, { type, data: { from: 'test' } })])
    const [request] = await came(1)
    expect(request?.path).toBe('/wants')
    expect(request?.event).toBe(type)
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ type, data: { from: 'test' } })
  })

  it('goes to every subscribed endpoint, each with its own signature', async () => {
    const [one, two] = [await create('/one'), await create('/two')]
    receiver.setScenario({
      paths: { '/one': { secrets: [one.secret] }, '/two': { secrets: [two.secret] } },
    })
    await check()
    const requests = await came(2)
    expect(requests.map(({ signature }) => signature)).toEqual(['valid', 'valid'])
    expect(new Set(requests.map(({ delivery }) => delivery)).size).toBe(1)
  })

  it('of test keys reaches only endpoints in test mode', async () => {
    const hook = await create()
    await check(member.keys.test_secret)
    await harness().post(
      `/console/api/webhooks/${hook.id}/mode`,
      { org_id: member.org_id, mode: 'test' },
      { token: member.token },
    )
    await check()
    const tested = await check(member.keys.test_secret)
    const [request] = await came(1)
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ data: { ...tested, is_sandbox: true } })
  })

  it('of the test operation is marked as a test', async () => {
    const hook = await create('/hook', ['order.fraud.alert'])
    receiver.setScenario({ secrets: [hook.secret] })
    await call('POST', `/${hook.id}/test`, {})
    const [request] = await came(1)
    expect(request).toMatchObject({ event: 'email.check.completed', signature: 'valid' })
    expect(JSON.parse(request?.body ?? '')).toMatchObject({ data: { is_sandbox: true } })
  })

  it('is signed with the new secret as soon as it is rolled', async () => {
    const hook = await create()
    const { secret } = await call<Hook>('POST', `/${hook.id}/roll-secret`, {})
    receiver.setScenario({ secrets: [secret] })
    await check()
    expect((await came(1))[0]?.signature).toBe('valid')
  })
})

describe('a delivery that fails', () => {
  it.each([
    ['a server error', { status: 500 }, 'Answered 500'],
    [
      'a redirect, which is not followed',
      { status: 302, headers: { location: '/elsewhere' } },
      'Answered 302; redirects are not followed',
    ],
    ['silence', { fault: 'hang' }, 'There was no complete answer in time'],
    ['a body in drops', { fault: 'drip_body' }, 'There was no complete answer in time'],
    ['headers in drops', { fault: 'drip_headers' }, 'There was no complete answer in time'],
    [
      'a broken connection',
      { fault: 'reset' },
      'The connection ended before the answer was complete',
    ],
  ] as const)('for %s is visible with its reason and its next attempt', async (_, fault, error) => {
    const hook = await create('/bad')
    receiver.setScenario({ paths: { '/bad': fault } })
    await check()
    const delivery = await settled(hook, 'failed')
    expect(delivery).toMatchObject({ attempts: 1, error })
    const next = Date.parse(String(delivery['next_attempt_at'])) - Date.now()
    expect(next).toBeGreaterThan(0.7 * DAY_MS)
    expect(next).toBeLessThan(1.2 * DAY_MS)
    expect(receiver.received.map(({ path }) => path)).toEqual(['/bad'])
  })

  it('is retried with the same id and body, and a later signature', async () => {
    const hook = await create('/bad')
    receiver.setScenario({ secrets: [hook.secret], paths: { '/bad': { status: 503, times: 1 } } })
    await check()
    await settled(hook, 'failed')
    await letPass(db, hook.id, 2 * DAY_MS)
    const delivery = await settled(hook, 'succeeded')
    expect(delivery).toMatchObject({ attempts: 2, error: null, response_status: 200 })
    const [first, second] = await came(2)
    expect(second?.delivery).toBe(first?.delivery)
    expect(second?.body).toBe(first?.body)
    expect([first?.signature, second?.signature]).toEqual(['valid', 'valid'])
  })

  it('too often is exhausted, and can be retried manually', async () => {
    const hook = await create('/bad')
    receiver.setScenario({ paths: { '/bad': { status: 500, times: 3 } } })
    await check()
    for (const count of [1, 2, 3]) {
      await came(count)
      if (count < 3) await settled(hook, 'failed')
      await letPass(db, hook.id, 2 * DAY_MS)
    }
    const { id } = await settled(hook, 'exhausted')
    await call('POST', `/deliveries/${id}/retry`, {})
    await came(4)
    expect(await settled(hook, 'succeeded')).toMatchObject({ id, attempts: 4 })
  })

  it('with status 410 pauses the endpoint, and waits until it is resumed', async () => {
    const hook = await create('/gone')
    receiver.setScenario({ paths: { '/gone': { status: 410 } } })
    await check()
    await until(async () => {
      const row = await db
        .selectFrom('webhook_endpoints')
        .selectAll()
        .where('id', '=', hook.id)
        .executeTakeFirst()
      expect(row).toMatchObject({ status: 'paused', pause_reason: 'gone' })
    })
    await check()
    receiver.setScenario({})
    await call('PATCH', `/${hook.id}`, { status: 'active' })
    await came(2)
    await until(async () => {
      expect((await listed(hook)).map(({ status }) => status)).toEqual(['succeeded', 'failed'])
    })
  })
})

describe('a paused endpoint', () => {
  it('holds deliveries and releases them when it is active again', async () => {
    const hook = await create('/paused')
    const other = await create('/other')
    await call('PATCH', `/${hook.id}`, { status: 'paused' })
    await check()
    await check()
    await settled(other, 'succeeded')
    expect((await deliveriesOf(db, hook.id)).map(({ status }) => status)).toEqual([
      'pending',
      'pending',
    ])
    expect(receiver.received.map(({ path }) => path)).toEqual(['/other', '/other'])
    await call('PATCH', `/${hook.id}`, { status: 'active' })
    await came(4)
    await settled(hook, 'succeeded')
  })
})
