/** OP-3: values with a fixed outcome for test keys. */
import { describe, expect, it } from 'vitest'
import { useHarness } from '../harness.ts'
import { countRows } from '../support/books.ts'

// Dates of the catalog are relative to the day; at noon, the day does not end during a test.
const NOON = new Date('2026-03-04T12:00:00Z')
const harness = useHarness({ clock: { now: () => NOON } })

type Example = { request: Record<string, unknown>; response: { content: Record<string, unknown> } }
type Value = { description: string; risk_score: number | null; risk_level: string | null }
type Catalog = {
  phone_numbers: (Value & { phone: string })[]
  emails: (Value & { email: string })[]
  event_types: Record<string, string>
  examples: Record<string, Example>
}

const read = async (key: string) =>
  await harness().call<Catalog>({ method: 'GET', path: '/v1/check/sandbox', key })
const check = async (key: string, body: unknown) =>
  await harness().call({ method: 'POST', path: '/v1/check', key, body })

async function catalog(): Promise<Catalog> {
  const { keys } = await harness().createTenant()
  return (await read(keys.test_secret)).body.content
}

describe('OP-3: GET /check/sandbox', () => {
  it('answers test and live secret keys alike, and runs no check', async () => {
    const { keys, org_id } = await harness().createTenant()
    const before = await countRows(harness().stores.db, org_id)
    const [test, live] = [await read(keys.test_secret), await read(keys.live_secret)]
    expect(test.status).toBe(200)
    expect(live.body).toEqual(test.body)
    expect(Object.keys(test.body.content).toSorted()).toEqual([
      'emails',
      'event_types',
      'examples',
      'phone_numbers',
    ])
    expect(await countRows(harness().stores.db, org_id)).toEqual(before)
  })

  it('uses only reserved names and numbers', async () => {
    const { emails, phone_numbers } = await catalog()
    for (const { email } of emails) expect(email).toMatch(/@example\.(com|net|org|invalid)$/)
    for (const { phone } of phone_numbers) expect(phone).toMatch(/^\+1\d{3}55501\d\d$/)
  })

  it('lists every event type of the specification', async () => {
    const { event_types } = await catalog()
    const documented = ['signup', 'login', 'checkout', 'payment', 'kyc', 'withdrawal', 'transfer']
    expect(Object.keys(event_types)).toEqual(expect.arrayContaining(documented))
  })

  it('has values of every risk level', async () => {
    const { emails, phone_numbers } = await catalog()
    const levels = [...emails, ...phone_numbers].map(({ risk_level }) => risk_level)
    expect(new Set(levels)).toEqual(new Set(['low', 'medium', 'high', 'critical', null]))
  })

  it('has examples with the exact responses', async () => {
    const { keys } = await harness().createTenant()
    const { examples } = await catalog()
    expect(Object.keys(examples).length).toBeGreaterThan(4)
    for (const [name, { request, response }] of Object.entries(examples)) {
      const { status, body } = await check(keys.test_secret, request)
      expect(status, name).toBe(200)
      const { check_id } = body.content
      expect(body, name).toEqual({ ...response, content: { ...response.content, check_id } })
    }
  })

  it('has values with the same outcome on every use', async () => {
    const { keys } = await harness().createTenant()
    const { emails, phone_numbers } = await catalog()
    const values = [...emails, ...phone_numbers]
    for (const value of [...values, ...values]) {
      const { description, risk_score, risk_level, ...request } = value
      const { status, body } = await check(keys.test_secret, request)
      if (risk_score === null) {
        expect([429, 500], description).toContain(status)
      } else {
        expect(body.content, description).toMatchObject({ risk_score, risk_level })
      }
    }
  })
})

describe('OP-3: a sandbox value', () => {
  it('is free, is not counted, and uses no network', async () => {
    const { keys, org_id } = await harness().createTenant()
    const { emails, phone_numbers } = await catalog()
    for (const { email } of emails) await check(keys.test_secret, { email })
    for (const { phone } of phone_numbers) await check(keys.test_secret, { phone })
    expect((await countRows(harness().stores.db, org_id))['velocity']).toBe(0)
    expect((await harness().services.billing.funds(org_id))?.available_credits).toBe(0)
    expect(harness().dns.requests).toEqual([])
    expect(harness().rdap.requests).toEqual([])
  })

  it('that simulates a failure returns that failure', async () => {
    const { keys } = await harness().createTenant()
    const limited = await check(keys.test_secret, { email: 'rate-limited@example.com' })
    expect(limited.status).toBe(429)
    expect(limited.body.content.retry_after).toBeGreaterThanOrEqual(1)
    expect(limited.headers['retry-after']).toBe(String(limited.body.content.retry_after))
    const broken = await check(keys.test_secret, { email: 'server-error@example.com' })
    expect(broken.status).toBe(500)
  })

  it('is ordinary input with a live key', async () => {
    const { keys } = await harness().createTenant()
    const outcomes = [
      [{ phone: '+12025550104' }, { signals: { phone: { recent_sim_swap: false } } }],
      [{ phone: '+12025550107' }, { risk_score: 0 }],
      [{ email: 'disposable@example.com' }, { signals: { disposable_score: 0 } }],
      [{ email: 'server-error@example.com' }, { email: 'server-error@example.com' }],
      [{ email: 'rate-limited@example.com' }, { email: 'rate-limited@example.com' }],
    ] as const
    for (const [request, expected] of outcomes) {
      const { status, body } = await check(keys.live_secret, request)
      expect(status).toBe(200)
      expect(body.content).toMatchObject({ ...expected, is_sandbox: false, credits_used: 1 })
    }
  })

  it('changes with the event type as the catalog says', async () => {
    const { keys } = await harness().createTenant()
    const { event_types } = await catalog()
    const phone = '+12025550104'
    const score = async (event_type: string) =>
      (await check(keys.test_secret, { phone, event_type })).body.content.risk_score
    const plain = await score('signup')
    for (const [name, effect] of Object.entries(event_types)) {
      if (effect === 'Context only') expect(await score(name), name).toBe(plain)
      else expect(await score(name), name).toBeGreaterThan(plain)
    }
    expect(await score('something else')).toBe(plain)
  })
})
