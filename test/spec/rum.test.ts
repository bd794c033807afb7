/** Specification, "RUM": events from browsers and apps, and their usage. */
import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { ownDatabase } from '../database.ts'
import { type Tenant, useHarness } from '../harness.ts'
import { success } from '../support/answers.ts'

const NOON = new Date('2026-03-15T12:00:00.000Z')
const clock = { time: NOON, now: () => clock.time }
const harness = useHarness({
  settings: {
    VIGIL_RATE_LIMIT_RUM: '999999/1',
    VIGIL_RATE_LIMIT_READ: '999999/1',
    VIGIL_RATE_LIMIT_CONSOLE: '999999/1',
  },
  clock,
  // A separate database, because one of the tests flushes the spool.
  db: ownDatabase(),
})

const EVENTS_PATH = '/v1/rum/events'
const TIME = '2026-03-15T11:59:58.123Z'
const VIEW = {
  type: 'view',
  timestamp: TIME,
  view: { name: 'Cart', url: 'https://a.example/cart' },
}

type Content = { received: number; processed: number; field: string }
type Usage = {
  sessions_this_month: number
  events_this_month: number
  credits_used_this_month: number
}

const allProcessed = (count: number) => ({
  status: 200,
  content: { received: count, processed: count },
})

const bodyOf = (events: unknown[], session_id = 's-1') => ({ session_id, events })

const post = async (key: string, body: unknown) =>
  await harness().post<Content>(EVENTS_PATH, body, { key })

async function usageOf(key: string): Promise<Usage> {
  const { status, body } = await harness().get<Usage>('/v1/rum/usage', { key })
  expect({ status, message: body.message }).toEqual({ status: 200, message: 'Usage of this month' })
  return body.content
}

/** Sends a beacon as a browser does when a page is closed: no custom headers, the key in the URL. */
async function beacon(
  query: string,
  payload: string | Buffer,
  headers: Record<string, string> = {},
) {
  const answer = await harness().app.inject({
    method: 'POST',
    url: `${EVENTS_PATH}${query}`,
    headers: { origin: 'https://shop.example', 'content-type': 'text/plain', ...headers },
    payload,
  })
  const body = JSON.parse(answer.body) as { message: string; content: Content }
  return { status: answer.statusCode, headers: answer.headers, body }
}

describe('POST /rum/events', () => {
  it('OP-17: returns the numbers of received and processed events', async () => {
    const { keys } = await harness().createTenant()
    const { status, body } = await post(keys.live_public, bodyOf([VIEW, VIEW]))
    expect({ status, body }).toEqual(success('Events received', { received: 2, processed: 2 }))
  })

  it.each([
    { type: 'session_start' },
    { type: 'session_end' },
    { type: 'view', view: { name: 'Cart', url: 'https://a.example/cart' } },
    { type: 'action', action: { type: 'click', target: 'button#pay' } },
    { type: 'action', action: { type: 'scroll' }, view: { name: 'Cart', url: '/cart' } },
    {
      type: 'error',
      error: { message: 'boom', stack: 'Error: boom\n    at a.js:1:2', type: 'Error' },
    },
    { type: 'resource', resource: { url: '/api', method: 'GET', status: 200, duration_ms: 12 } },
    { type: 'vital', vital: { name: 'CLS', value: 0.02, id: 'v5-1' } },
    { type: 'long_task', long_task: { duration_ms: 120.5 } },
    { type: 'log', log: { level: 'warn', message: 'slow' } },
    { type: 'log', log: { message: 'with more' }, app_version: '1.2', user: { plan: 'pro' } },
  ])('accepts every documented type: $type', async (event) => {
    const { keys } = await harness().createTenant()
    const { status, body } = await post(keys.live_public, bodyOf([{ ...event, timestamp: TIME }]))
    expect({ status, content: body.content }).toEqual(allProcessed(1))
  })

  it('refuses an undocumented type, alone and next to a valid event', async () => {
    const { keys } = await harness().createTenant()
    const odd = { type: 'click', timestamp: TIME }
    const alone = await post(keys.live_public, bodyOf([odd]))
    expect(alone.status).toBe(400)
    expect(alone.body).toMatchObject({
      code: 'invalid_request',
      content: { field: 'events.0.type' },
    })
    const mixed = await post(keys.live_public, bodyOf([VIEW, odd, VIEW]))
    expect(mixed.status).toBe(200)
    expect(mixed.body.content).toEqual({
      received: 3,
      processed: 2,
      errors: [
        { index: 1, field: 'type', reason: expect.stringMatching(/^must be one of /) as string },
      ],
    })
    expect(mixed.body.message).toMatch(
      /^Events received; 1 of 3 refused, the first: events\.1\.type must be one of /,
    )
  })

  it('OP-146: reads Unix time in any unit, as a number or a text, as logs do', async () => {
    const { keys } = await harness().createTenant()
    const times = [1_700_000_000, '1700000000.5', 1_700_000_000_123_456, '1700000000123456789']
    const bad = ['', '2026', 1e20, '+012345-01-01T00:00:00Z']
    const events = [...times, ...bad].map((timestamp) => ({ type: 'session_start', timestamp }))
    const { body } = await post(keys.live_secret, bodyOf(events))
    expect(body).toMatchObject({
      message:
        'Events received; 4 of 8 refused, the first: events.4.timestamp is not a time; also refused: events.5.timestamp, events.6.timestamp, events.7.timestamp',
      content: { received: 8, processed: 4 },
    })
  })

  it.each<[string, unknown, string]>([
    ['nothing', {}, 'session_id'],
    ['no events', { session_id: 's' }, 'events'],
    ['an empty list', bodyOf([]), 'events'],
    ['an object as events', { session_id: 's', events: VIEW }, 'events'],
    ['no session', { events: [VIEW] }, 'session_id'],
    ['an empty session id', bodyOf([VIEW], ''), 'session_id'],
    ['a number as session id', { session_id: 5, events: [VIEW] }, 'session_id'],
    ['a session id that is too long', bodyOf([VIEW], 'x'.repeat(257)), 'session_id'],
    ['events that are not objects', bodyOf([null, 'view']), 'events.0'],
    ['an event without a time', bodyOf([{ type: 'log' }]), 'events.0.timestamp'],
    ['an invalid time', bodyOf([{ type: 'log', timestamp: 'now' }]), 'events.0.timestamp'],
    ['a view event without a view', bodyOf([{ type: 'view', timestamp: TIME }]), 'events.0.view'],
    [
      'an error without a message',
      bodyOf([{ type: 'error', timestamp: TIME, error: { stack: 'x' } }]),
      'events.0.error.message',
    ],
    ['a list', [VIEW], 'body'],
    ['too many events', bodyOf(Array.from({ length: 1001 }, () => VIEW)), 'events'],
  ])('refuses a body with %s and names the field', async (_, body, field) => {
    const { keys } = await harness().createTenant()
    const answer = await post(keys.live_public, body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ code: 'invalid_request', content: { field } })
    expect(await usageOf(keys.live_secret)).toMatchObject({ events_this_month: 0 })
  })

  it('accepts a session id of 256 characters, and times in Unix milliseconds', async () => {
    const { keys } = await harness().createTenant()
    const event = { type: 'log', timestamp: NOON.getTime() }
    const { status } = await post(keys.test_public, bodyOf([event], '😀'.repeat(256)))
    expect(status).toBe(200)
  })

  it('counts a repeated body once', async () => {
    const { keys } = await harness().createTenant()
    const body = bodyOf([VIEW, { type: 'odd' }])
    const first = await post(keys.live_public, body)
    const again = await post(keys.live_public, body)
    expect(again.body).toEqual(first.body)
    expect(await usageOf(keys.live_secret)).toEqual({
      sessions_this_month: 1,
      events_this_month: 1,
      credits_used_this_month: 0,
    })
  })
})

describe('OP-39: keys of /rum', () => {
  it.each(['live_public', 'test_public', 'live_secret', 'test_secret'] as const)(
    'a %s key sends events',
    async (type) => {
      const { keys } = await harness().createTenant()
      expect((await post(keys[type], bodyOf([VIEW]))).status).toBe(200)
    },
  )

  it.each(['live_public', 'test_public'] as const)('a %s key does not read usage', async (type) => {
    const { keys } = await harness().createTenant()
    const key = keys[type]
    const answer = await harness().call({ method: 'GET', path: '/v1/rum/usage', key })
    expect(answer.status).toBe(403)
    expect(answer.body).toEqual({ success: false, message: 'A secret key is required' })
  })

  it('without a key, or with a wrong one, nothing is accepted', async () => {
    const missing = await harness().post(EVENTS_PATH, bodyOf([VIEW]), {})
    expect([missing.status, missing.body.message]).toEqual([401, 'Missing X-API-Key header'])
    const wrong = await post('pk_live_wrong', bodyOf([VIEW]))
    expect([wrong.status, wrong.body.message]).toEqual([401, 'Invalid API key'])
  })
})

describe('OP-64: browsers can send', () => {
  const text = JSON.stringify(bodyOf([VIEW]))
  const withKey = ({ keys }: Tenant) => `?api_key=${keys.live_public}`

  it.each([
    { 'content-type': 'text/plain' },
    { 'content-type': 'text/plain;charset=UTF-8' },
    { 'content-type': 'application/json' },
  ])('a beacon with the key in the URL: %j', async (headers) => {
    const tenant = await harness().createTenant()
    const { status, body } = await beacon(withKey(tenant), text, headers)
    expect({ status, content: body.content }).toEqual(allProcessed(1))
  })

  it('a body without any content type', async () => {
    const { keys } = await harness().createTenant()
    const answer = await harness().app.inject({
      method: 'POST',
      url: `${EVENTS_PATH}?api_key=${keys.test_public}`,
      payload: Buffer.from(text),
    })
    expect(answer.statusCode).toBe(200)
  })

  it('a body of 64 KiB, the maximum of a beacon, and a compressed one', async () => {
    const tenant = await harness().createTenant()
    const log = { type: 'log', timestamp: TIME, log: { message: 'x'.repeat(1000) } }
    const full = { ...bodyOf(Array.from({ length: 60 }, () => log)), padding: '' }
    full.padding = 'x'.repeat(65_536 - JSON.stringify(full).length)
    const body = JSON.stringify(full)
    expect(body).toHaveLength(65_536)
    const { status, body: answer } = await beacon(withKey(tenant), body)
    expect({ status, processed: answer.content.processed }).toEqual({ status: 200, processed: 60 })
    const batch = gzipSync(JSON.stringify(bodyOf([VIEW, VIEW, VIEW])))
    const zipped = await beacon(withKey(tenant), batch, { 'content-encoding': 'gzip' })
    expect(zipped.body.content).toEqual({ received: 3, processed: 3 })
  })

  it('events with characters that no table can store, which do not fail the others', async () => {
    const tenant = await harness().createTenant()
    const odd = String.raw`{"type":"log","timestamp":0,"log":{"message":"\u0000 \ud800"}}`
    const sent = `{"session_id":"a\\u0000\\udc00","events":[${odd},${JSON.stringify(VIEW)}]}`
    const { status, body } = await beacon(withKey(tenant), sent)
    expect({ status, content: body.content }).toEqual(allProcessed(2))
    expect(await usageOf(tenant.keys.live_secret)).toMatchObject({ sessions_this_month: 1 })
  })

  it('public keys in a URL, but no secret ones', async () => {
    const { keys } = await harness().createTenant()
    for (const key of [keys.live_secret, keys.test_secret]) {
      const { status, body } = await beacon(`?api_key=${key}`, text)
      expect([status, body.message]).toEqual([403, 'Only a public key may be sent in the URL'])
    }
  })

  it('a preflight from any origin', async () => {
    const answer = await harness().app.inject({
      method: 'OPTIONS',
      url: EVENTS_PATH,
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,x-api-key',
      },
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-headers': 'content-type, x-api-key, content-encoding',
      'access-control-max-age': '7200',
    })
    expect(answer.headers['access-control-allow-methods']).toContain('POST')
  })

  it('requests whose responses scripts can read, even refusals', async () => {
    const tenant = await harness().createTenant()
    const answers = [
      await beacon(withKey(tenant), text),
      await beacon(withKey(tenant), '{}'),
      await beacon('', text),
      await beacon('?api_key=pk_live_wrong', text),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 401, 401])
    for (const { headers } of answers) {
      expect(headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-expose-headers': 'retry-after',
      })
    }
  })
})

describe('GET /rum/usage', () => {
  it('OP-143: refuses a query parameter, which would not filter anything', async () => {
    const { keys } = await harness().createTenant()
    const path = '/v1/rum/usage?month=2026-01'
    const { status, body } = await harness().get<{ field: string }>(path, { key: keys.live_secret })
    expect([status, body.content.field]).toEqual([400, 'month'])
  })

  it('counts events and sessions, each session once, by mode', async () => {
    const { keys } = await harness().createTenant()
    await post(keys.live_public, bodyOf([VIEW, VIEW], 'a'))
    await post(keys.live_secret, bodyOf([VIEW], 'a'))
    await post(keys.live_public, bodyOf([VIEW], 'b'))
    await post(keys.test_public, bodyOf([VIEW], 'a'))
    expect(await usageOf(keys.live_secret)).toEqual({
      sessions_this_month: 2,
      events_this_month: 4,
      credits_used_this_month: 0,
    })
    expect(await usageOf(keys.test_secret)).toEqual({
      sessions_this_month: 1,
      events_this_month: 1,
      credits_used_this_month: 0,
    })
  })

  it('covers the calendar month in UTC', async () => {
    const { keys } = await harness().createTenant()
    try {
      clock.time = new Date('2026-02-28T23:59:59.999Z')
      await post(keys.live_public, bodyOf([VIEW]))
      expect(await usageOf(keys.live_secret)).toMatchObject({ events_this_month: 1 })
      clock.time = new Date('2026-03-01T00:00:00.000Z')
      expect(await usageOf(keys.live_secret)).toMatchObject({
        sessions_this_month: 0,
        events_this_month: 0,
      })
    } finally {
      clock.time = NOON
    }
  })

  it('covers the organization of the key', async () => {
    const { keys } = await harness().createTenant()
    await post(keys.live_public, bodyOf([VIEW]))
    const other = await harness().createTenant()
    expect(await usageOf(other.keys.live_secret)).toMatchObject({ events_this_month: 0 })
  })
})

describe('an event', () => {
  type Session = { timeline: { type: string; timestamp: string; event: object }[] }

  it('is shown to members in the console, whatever characters it contains', async () => {
    const { org_id, keys } = await harness().createTenant()
    const token = await harness().signIn(org_id, 'member')
    const odd = String.raw`{"type":"error","timestamp":-1,"view":{"name":"\u0000","url":"\udc00"},"error":{"message":"\ud800 \u0000 \u2028 \"\\","type":"\ud83d"}}`
    const events = [VIEW, { type: 'vital', timestamp: TIME, vital: { name: 'LCP', value: 1 } }]
    const sent = `{"session_id":"é 1/2","events":[${odd},${JSON.stringify(events).slice(1)}}`
    expect((await beacon(`?api_key=${keys.live_public}`, sent)).body.content.processed).toBe(3)

    const { flushers } = harness().services.telemetry
    flushers.forEach((flusher) => flusher.start())
    try {
      const path = `/console/api/rum/sessions/${encodeURIComponent('é 1/2')}?org_id=${org_id}`
      const session = await vi.waitFor(
        async () => {
          const { status, body } = await harness().call<Session>({ method: 'GET', path, token })
          expect(status).toBe(200)
          return body.content
        },
        { timeout: 15_000, interval: 100 },
      )
      expect(session).toMatchObject({ session_id: 'é 1/2', events: 3, views: 1, errors: 1 })
      expect(session.timeline.map(({ event }) => event)).toEqual([JSON.parse(odd), ...events])
      expect(session.timeline.map(({ timestamp }) => timestamp)).toEqual([
        '1969-12-31T23:59:59.000Z',
        TIME,
        TIME,
      ])
    } finally {
      await Promise.all(flushers.map(async (flusher) => await flusher.stop(2000)))
    }
  })
})

describe('OP-128: the limit of a client network', () => {
  const limited = useHarness({ settings: { VIGIL_RATE_LIMIT_RUM_NETWORK: '20/60' } })
  const statusOf = async (key: string, events: unknown[]) =>
    (await limited().post(EVENTS_PATH, bodyOf(events), { key })).status

  it('counts events, for public keys only', async () => {
    const { keys } = await limited().createTenant()
    const events = Array.from({ length: 12 }, () => VIEW)
    expect(await statusOf(keys.live_public, events)).toBe(200)
    expect(await statusOf(keys.live_public, events.slice(5))).toBe(200)
    expect(await statusOf(keys.live_public, events.slice(5))).toBe(429)
    expect(await statusOf(keys.live_secret, [...events, ...events])).toBe(200)
  })

  it('counts a batch of large events by its size', async () => {
    const { keys } = await limited().createTenant()
    const large = { ...VIEW, text: 'x'.repeat(12_000) }
    expect(await statusOf(keys.live_public, [large])).toBe(200)
    expect(await statusOf(keys.live_public, [large])).toBe(429)
  })
})

describe('OP-19: too many requests', () => {
  const limited = useHarness({ settings: { VIGIL_RATE_LIMIT_RUM: '2/60' } })

  it('get a retry_after that scripts can read', async () => {
    const { keys } = await limited().createTenant()
    const path = `${EVENTS_PATH}?api_key=${keys.live_public}`
    const send = async () => await limited().post<{ retry_after: number }>(path, bodyOf([VIEW]), {})
    const answers = [await send(), await send(), await send()]
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429])
    const last = answers[2]
    expect(last?.body.content.retry_after).toBeGreaterThan(0)
    expect(last?.headers).toMatchObject({
      'retry-after': String(last?.body.content.retry_after),
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'retry-after',
    })
  })
})
