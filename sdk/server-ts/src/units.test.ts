import { createHmac } from 'node:crypto'
import { anything, array, assert, asyncProperty, integer, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { batchesOf, byteLength } from './batches.ts'
import { createVigil } from './client.ts'
import { withKey } from './keys.ts'
import { logEntry } from './log-entry.ts'
import { createLogShipper } from './log-shipper.ts'
import { recordsOf } from './pages.ts'
import { mayHaveSucceeded, pauseBefore } from './retry.ts'
import { verifyWebhook } from './webhooks.ts'

type Failure = Parameters<typeof mayHaveSucceeded>[0]

const refusal = (status: number, retry_after?: number): Failure => ({
  kind: 'refusal',
  status,
  envelope: {
    success: false,
    message: '',
    ...(retry_after !== undefined && { content: { retry_after } }),
  },
  retry_after_s: undefined,
})
const NO_ANSWER: Failure = { kind: 'no_answer', was_sent: true, cause: new Error('reset') }
const UNSENT: Failure = { kind: 'no_answer', was_sent: false, cause: new Error('refused') }
const PAGE: Failure = { kind: 'foreign', status: 200, retry_after_s: undefined }

describe('a failed request', () => {
  const pause = (failure: Failure, is_repeatable: boolean, repetition = 1, left_ms = 60_000) =>
    pauseBefore(failure, {
      repetition,
      is_repeatable,
      left_ms,
      random: 1,
      retries: 4,
      backoff_ms: 500,
    })

  it.each<[string, Failure, number | undefined, number | undefined]>([
    ['after a limit', refusal(429, 3), 3000, 3000],
    ['without a connection', UNSENT, 500, 500],
    ['without an answer', NO_ANSWER, 500, undefined],
    ['after a fault', refusal(500), 500, undefined],
    ['after a page of a proxy', PAGE, 500, undefined],
    ['after a refusal', refusal(400), undefined, undefined],
    ['after a wrong key', refusal(401), undefined, undefined],
  ])('%s is repeated as it is safe', (_, failure, repeatable, other) => {
    expect(pause(failure, true)).toBe(repeatable)
    expect(pause(failure, false)).toBe(other)
  })

  it('is repeated with growing pauses, and neither too often nor after the deadline', () => {
    expect([1, 2, 3, 4, 5].map((repetition) => pause(refusal(500), true, repetition))).toEqual([
      500,
      1000,
      2000,
      4000,
      undefined,
    ])
    expect(pause(refusal(429, 3), true, 1, 2999)).toBeUndefined()
  })

  it('may have been carried out if no response refuses it', () => {
    const outcomes = [NO_ANSWER, UNSENT, PAGE, refusal(500), refusal(400)].map(mayHaveSucceeded)
    expect(outcomes).toEqual([true, false, true, true, false])
  })
})

describe('keys', () => {
  const key = { member: 'event_id', list: 'checks', is_filled: true }

  it('are filled in where the caller has none', () => {
    const body = { checks: [{ email: 'a' }, { email: 'b', event_id: 'mine' }, { event_id: null }] }
    expect(withKey({ repeat: 'keyed', key }, body, () => 'new')).toEqual({
      body: { checks: [{ email: 'a', event_id: 'new' }, body.checks[1], { event_id: 'new' }] },
      is_repeatable: true,
    })
  })

  it('leave wrong bodies to the service', () => {
    const body = { checks: ['text'] }
    expect(withKey({ repeat: 'keyed', key }, body, () => 'new')).toEqual({
      body,
      is_repeatable: false,
    })
  })
})

it('lists are split in order, each part within its limits', async () => {
  const texts = array(string({ unit: 'grapheme', maxLength: 200 }), { maxLength: 40 })
  await assert(
    asyncProperty(texts, integer({ min: 1, max: 7 }), async (source, items_max) => {
      const parts: string[][] = []
      for await (const { items, start } of batchesOf(source, { items_max, bytes_max: 1000 })) {
        expect(start).toBe(parts.flat().length)
        parts.push(items)
      }
      expect(parts.flat()).toEqual(source)
      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(items_max)
        if (part.length > 1) expect(byteLength(JSON.stringify(part))).toBeLessThanOrEqual(1000)
      }
    }),
    { numRuns: 50 },
  )
})

it('records that move to the next page are returned once', async () => {
  const pages = [['c', 'b'], ['b', 'a'], ['a']].map((ids, index) => ({
    logs: ids.map((id) => ({ id })),
    pagination: { page: index + 1, limit: 2, total: 5, pages: 3 },
  }))
  const vigil = {
    listEdgeLogs: async ({ page }: { page: number }) => await Promise.resolve(pages[page - 1]),
  } as never
  const ids: string[] = []
  for await (const { id } of recordsOf(vigil, 'listEdgeLogs', { org_id: 'o' })) ids.push(id)
  expect(ids).toEqual(['c', 'b', 'a'])
})

describe('log entries', () => {
  const entry = (fields: object, message: unknown = 'm') =>
    logEntry(
      { device_id: 'd', level: 'info', message, fields },
      { now_ms: Date.UTC(2026, 2, 1), sequence: 1007 },
    )

  it('of one millisecond differ in their microseconds', () => {
    expect(entry({}).timestamp).toBe('2026-03-01T00:00:00.000007Z')
  })

  it('of any arguments are JSON within the limits', () => {
    assert(
      property(anything(), anything(), (value, message) => {
        const made = entry({ error: value, category: value, data: { value } }, message)
        expect(JSON.stringify(made).length).toBeLessThan(200_000)
        expect(made.message).not.toContain('\0')
      }),
      { numRuns: 100 },
    )
  })

  it('are dropped and counted when too many wait, and rejected ones do not block others', async () => {
    const reports: string[] = []
    const shipper = createLogShipper({
      vigil: {
        sendEdgeLogs: async ({ logs }) =>
          await Promise.resolve({
            received: logs.length,
            processed: logs.length - 1,
            errors: [{ index: 0, field: 'level', reason: 'is wrong' }],
          }),
      },
      device_id: 'd',
      entries_max: 2,
      report: (text) => void reports.push(text),
    })
    for (let index = 0; index < 4; index += 1) shipper.log('info', `${index}`)
    expect(await shipper.close()).toBe(true)
    expect(shipper.stats()).toEqual({ waiting: 0, sent: 1, dropped: 2, rejected: 1 })
    expect(reports).toHaveLength(2)
  })
})

describe('a webhook', () => {
  // The delivery of docs/webhooks.md.
  const secret = 'whsec_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9'
  const body =
    '{"id":"0198c3a2-9c44-7f00-a1b2-c3d4e5f60718","type":"order.fraud.detected","timestamp":"2026-03-01T12:00:00.000Z","data":{}}'
  const signature =
    't=1772366400,v1=e38064be3054d1816efb64e2a48d8d807ae0f86155a2d2f00052fb8f9d08ed6d'
  const now = 1772366400

  it('is genuine with one of the secrets, as text or bytes', async () => {
    const request = { body, signature, secrets: ['whsec_new', secret], now }
    expect(await verifyWebhook(request)).toMatchObject({ type: 'order.fraud.detected' })
    const bytes = new TextEncoder().encode(body)
    expect(await verifyWebhook({ ...request, body: bytes })).toBeDefined()
  })

  it.each([
    ['another body', { body: `${body} ` }],
    ['another secret', { secrets: ['whsec_other'] }],
    ['no secret', { secrets: [] }],
    ['no signature', { signature: undefined }],
    ['a signature of another form', { signature: signature.toUpperCase() }],
    ['an old signature', { now: now + 301 }],
    ['a signature from the future', { now: now - 301 }],
  ])('with %s is not', async (_, change) => {
    expect(await verifyWebhook({ body, signature, secrets: [secret], now, ...change })).toBe(
      undefined,
    )
  })

  it('of a body that was not text is signed over its bytes', async () => {
    const bytes = Buffer.from('{"id":"é"}', 'latin1')
    const mac = createHmac('sha256', 's').update('7.').update(bytes).digest('hex')
    const request = { body: bytes, signature: `t=7,v1=${mac}`, secrets: ['s'], now: 7 }
    expect(await verifyWebhook(request)).toBeDefined()
  })
})

it.each([
  [{ base_url: 'vigil.example.com/v1', api_key: 'k' }, 'base_url'],
  [{ base_url: 'https://vigil.example.com/v1' }, 'api_key or access_token'],
  [{ base_url: 'https://vigil.example.com/v1', api_key: 'k', total_ms: 900_000 }, 'total_ms'],
])('a client with the options %j is refused', (options, message) => {
  expect(() => createVigil(options)).toThrow(message)
})
