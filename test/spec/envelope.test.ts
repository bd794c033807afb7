/** Specification, "Response envelope": the envelope of every response under /v1. */
import { describe, expect, it } from 'vitest'
import { type Answer, type Harness, useHarness } from '../harness.ts'
import { newEmail, newPhone } from '../support/samples.ts'

const harness = useHarness({ settings: { VIGIL_RATE_LIMIT_REPORT: '1/60' } })

const ORDER = { external_order_id: 'order-1', amount_cents: 4990 }

type Credential = { key: string }
type Call = (to: Harness, as: { secret: Credential; public: Credential }) => Promise<Answer>

const SUCCESSES: Record<string, Call> = {
  'POST /check': ({ post }, { secret }) => post('/v1/check', { email: newEmail() }, secret),
  'POST /check/bulk': ({ post }, { secret }) => post('/v1/check/bulk', { checks: [{}] }, secret),
  'GET /check/{id}': async ({ get, post }, { secret }) => {
    const checked = await post('/v1/check', { email: newEmail() }, secret)
    return await get(`/v1/check/${checked.body.content.check_id}`, secret)
  },
  'GET /check/sandbox': ({ get }, { secret }) => get('/v1/check/sandbox', secret),
  'POST /check/phone/report': ({ post }, { secret }) => post(REPORT_PATH, newReport(), secret),
  'POST /profiles': ({ post }, { secret }) => post('/v1/profiles', { external_id: 'jane' }, secret),
  'POST /orders': ({ post }, { secret }) => post('/v1/orders', ORDER, secret),
  'POST /orders/bulk': ({ post }, { secret }) =>
    post('/v1/orders/bulk', { orders: [ORDER, {}] }, secret),
}
const REPORT_PATH = '/v1/check/phone/report'
const newReport = () => ({ phone: newPhone(), outcome: 'fraud' })

const FAILURES: Record<number, Call> = {
  400: ({ post }, { secret }) => post('/v1/check', {}, secret),
  401: ({ get }) => get('/v1/check/sandbox', {}),
  403: ({ get }, keys) => get('/v1/check/sandbox', keys.public),
  404: ({ get }, { secret }) => get('/v1/check/nothing', secret),
  429: async ({ post }, { secret }) => {
    const report = newReport()
    await post(REPORT_PATH, report, secret)
    return await post(REPORT_PATH, report, secret)
  },
  500: ({ post }, { secret }) => post('/v1/check', { email: 'server-error@example.com' }, secret),
}

async function answerOf(call: Call): Promise<Answer> {
  const { keys } = await harness().createTenant()
  return await call(harness(), {
    secret: { key: keys.test_secret },
    public: { key: keys.test_public },
  })
}

describe('a success', () => {
  it.each(Object.keys(SUCCESSES))('%s has success, message and content', async (name) => {
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
  it.each(Object.keys(FAILURES).map(Number))('%i has success and message', async (status) => {
    const answer = await answerOf(FAILURES[status] as Call)
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8')
    const { success, message, ...rest } = answer.body
    expect(success).toBe(false)
    expect(message).toMatch(/\w/)
    expect(Object.keys(rest).every((name) => name === 'code' || name === 'content')).toBe(true)
  })

  it('has a code only when the request is invalid', async () => {
    for (const [status, call] of Object.entries(FAILURES)) {
      const { body } = await answerOf(call)
      expect(body.code, status).toBe(status === '400' ? 'invalid_request' : undefined)
    }
  })
})
