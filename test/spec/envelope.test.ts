/** Specification, "Response envelope": what every answer under /v1 travels in. */
import { describe, expect, it } from 'vitest'
import { type Answer, type Harness, useHarness } from '../harness.ts'
import { newEmail, newPhone } from '../support/samples.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_REPORT: '1/60' } })

const ORDER = { external_order_id: 'order-1', amount_cents: 4990 }

type Call = (harness: Harness, keys: { secret: string; public: string }) => Promise<Answer>

const SUCCESSES: Record<string, Call> = {
  'POST /check': ({ call }, { secret }) =>
    call({ method: 'POST', path: '/v1/check', key: secret, body: { email: newEmail() } }),
  'POST /check/bulk': ({ call }, { secret }) =>
    call({ method: 'POST', path: '/v1/check/bulk', key: secret, body: { checks: [{}] } }),
  'GET /check/{id}': async ({ call }, { secret }) => {
    const body = { email: newEmail() }
    const checked = await call({ method: 'POST', path: '/v1/check', key: secret, body })
    const path = `/v1/check/${checked.body.content.check_id}`
    return await call({ method: 'GET', path, key: secret })
  },
  'GET /check/sandbox': ({ call }, { secret }) =>
    call({ method: 'GET', path: '/v1/check/sandbox', key: secret }),
  'POST /check/phone/report': ({ call }, { secret }) =>
    call({
      method: 'POST',
      path: '/v1/check/phone/report',
      key: secret,
      body: { phone: newPhone(), outcome: 'fraud' },
    }),
  'POST /profiles': ({ call }, { secret }) =>
    call({ method: 'POST', path: '/v1/profiles', key: secret, body: { external_id: 'jane' } }),
  'POST /orders': ({ call }, { secret }) =>
    call({ method: 'POST', path: '/v1/orders', key: secret, body: ORDER }),
  'POST /orders/bulk': ({ call }, { secret }) =>
    call({ method: 'POST', path: '/v1/orders/bulk', key: secret, body: { orders: [ORDER, {}] } }),
}

const FAILURES: Record<number, Call> = {
  400: ({ call }, { secret }) => call({ method: 'POST', path: '/v1/check', key: secret, body: {} }),
  401: ({ call }) => call({ method: 'GET', path: '/v1/check/sandbox' }),
  403: (h, keys) => h.call({ method: 'GET', path: '/v1/check/sandbox', key: keys.public }),
  404: ({ call }, { secret }) => call({ method: 'GET', path: '/v1/check/nothing', key: secret }),
  429: async ({ call }, { secret }) => {
    const body = { phone: newPhone(), outcome: 'fraud' }
    const report = { method: 'POST', path: '/v1/check/phone/report', key: secret, body } as const
    await call(report)
    return await call(report)
  },
  500: ({ call }, { secret }) =>
    call({
      method: 'POST',
      path: '/v1/check',
      key: secret,
      body: { email: 'server-error@example.com' },
    }),
}

async function answerOf(call: Call): Promise<Answer> {
  const { keys } = await harness().createTenant()
  return await call(harness(), { secret: keys.test_secret, public: keys.test_public })
}

describe('a success', () => {
  it.each(Object.keys(SUCCESSES))('%s carries success, message and content', async (name) => {
    const { status, headers, body } = await answerOf(SUCCESSES[name] as Call)
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('application/json; charset=utf-8')
    expect(Object.keys(body).toSorted()).toEqual(['content', 'message', 'success'])
    expect(body.success).toBe(true)
    expect(body.message).toMatch(/\w/)
    expect(body.content).toBeTypeOf('object')
    expect(body.content).not.toBeNull()
  })
})

describe('an error', () => {
  it.each(Object.keys(FAILURES).map(Number))('%i carries success and message', async (status) => {
    const answer = await answerOf(FAILURES[status] as Call)
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    const { success, message, ...rest } = answer.body
    expect(success).toBe(false)
    expect(message).toMatch(/\w/)
    expect(Object.keys(rest).every((name) => name === 'code' || name === 'content')).toBe(true)
  })

  it('carries a code only when the request is invalid, and then the one there is', async () => {
    for (const [status, call] of Object.entries(FAILURES)) {
      const { body } = await answerOf(call)
      expect(body.code, status).toBe(status === '400' ? 'invalid_request' : undefined)
    }
  })
})
