/** Specification, "Check" and "Risk scale": requests and results of checks. */
import { describe, expect, it } from 'vitest'
import { riskLevel } from '../../src/modules/risk/index.ts'
import { useHarness } from '../harness.ts'
import { newEmail, newPhone } from '../support/samples.ts'

const harness = useHarness()

type Body = Record<string, unknown>

async function check(body: Body | unknown[], type: 'live_secret' | 'test_secret' = 'live_secret') {
  const { createTenant, call } = harness()
  const { keys } = await createTenant()
  return await call({ method: 'POST', path: '/v1/check', key: keys[type], body })
}

const ZERO = { domain_age_score: 0, mx_score: 0, disposable_score: 0, velocity_score: 0 }

describe('POST /check', () => {
  it('returns the documented members and no others', async () => {
    const { status, body } = await check({ email: 'jane@mailinator.com', phone: newPhone() })
    expect(status).toBe(200)
    expect(body.message).toBe('Check completed')
    expect(Object.keys(body.content).toSorted()).toEqual([
      'check_id',
      'credits_used',
      'email',
      'is_sandbox',
      'risk_level',
      'risk_score',
      'signals',
      'tier',
    ])
    expect(Object.keys(body.content.signals).toSorted()).toEqual(
      [...Object.keys(ZERO), 'phone'].toSorted(),
    )
    expect(Object.keys(body.content.signals.phone ?? {}).toSorted()).toEqual([
      'carrier',
      'country_code',
      'is_valid',
      'line_type',
      'ported',
      'ported_date',
      'recent_sim_swap',
      'sim_swap_date',
    ])
    expect(body.content).toMatchObject({
      check_id: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      email: 'jane@mailinator.com',
      risk_level: 'critical',
      tier: 'standard',
      credits_used: 1,
      is_sandbox: false,
      signals: { disposable_score: 100 },
    })
  })

  it('echoes the e-mail as it was sent, and only when it was', async () => {
    const email = 'Jane.Aoeia+News@GMail.com'
    expect((await check({ email })).body.content.email).toBe(email)
    expect((await check({ phone: newPhone() })).body.content).not.toHaveProperty('email')
  })

  it('has phone signals only when a phone was checked', async () => {
    expect((await check({ email: newEmail() })).body.content.signals).toEqual(ZERO)
    expect((await check({ phone: newPhone() })).body.content.signals).toEqual({
      ...ZERO,
      phone: expect.objectContaining({ is_valid: true }) as Body,
    })
  })

  it('distinguishes a German mobile number from one that cannot exist', async () => {
    expect((await check({ phone: '+4915112345678' })).body.content.signals.phone).toEqual({
      is_valid: true,
      carrier: 'T-Mobile',
      line_type: 'mobile',
      country_code: 'DE',
      recent_sim_swap: false,
      sim_swap_date: null,
      ported: false,
      ported_date: null,
    })
    const { content } = (await check({ phone: '+4900000000' })).body
    expect(content.signals.phone).toMatchObject({ is_valid: false, line_type: null })
    expect(content.risk_level).toBe('critical')
  })

  it('accepts an e-mail, a phone or a device alone', async () => {
    for (const body of [{ email: newEmail() }, { phone: newPhone() }, { device: {} }]) {
      const answer = await check(body)
      expect(answer.status).toBe(200)
      expect(answer.body.content).toMatchObject({ risk_score: 0, risk_level: 'low' })
    }
  })

  it.each([{}, { behavior: {} }, { event_type: 'signup', event_id: 'a', metadata: {} }])(
    'requires at least one of phone, email or device: %j',
    async (sent) => {
      const { status, body } = await check(sent)
      expect(status).toBe(400)
      expect(body.message).toBe('At least one of phone, email or device is required')
      expect(body.code).toBe('invalid_request')
    },
  )

  it.each(['203.0.113.7', '', null, 5])('refuses ip_address with any value: %j', async (ip) => {
    const { status, body } = await check({ email: newEmail(), ip_address: ip })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_request', content: { field: 'ip_address' } })
  })

  it.each([
    ['phone', '015112345678'],
    ['phone', '+0151'],
    ['phone', '+49 151 12345678'],
    ['phone', ' +4915112345678'],
    ['phone', '+4915112345678\n'],
    ['phone', '+1234567890123456'],
    ['email', ''],
    ['device', 'abc'],
    ['device', []],
    ['behavior', 'abc'],
    ['metadata', 'abc'],
    ['event_type', 5],
    ['event_id', ''],
    ['event_id', 'a'.repeat(129)],
  ])('refuses an invalid %s and names it: %j', async (field, value) => {
    const { status, body } = await check({ email: newEmail(), [field]: value })
    expect(status).toBe(400)
    expect(body).toMatchObject({ code: 'invalid_request', content: { field } })
  })

  it('names an example of the wanted format', async () => {
    const { body } = await check({ phone: '015112345678' })
    expect(body.message).toBe('phone must be a phone number in E.164, such as +12025550143')
  })

  it('OP-141: takes null in optional members, and an empty event_type, as left out', async () => {
    const nulls = { phone: null, device: null, behavior: null, event_id: null, metadata: null }
    const { status, body } = await check({ email: newEmail(), event_type: '', ...nulls })
    expect(status).toBe(200)
    expect(body.content.signals).not.toHaveProperty('phone')
    expect((await check({ email: null, phone: null })).body).toMatchObject({
      message: 'At least one of phone, email or device is required',
    })
  })

  it('accepts an event_id of 128 characters of any kind', async () => {
    const email = newEmail()
    for (const event_id of ['a'.repeat(128), '😀'.repeat(128)]) {
      expect((await check({ email, event_id })).status).toBe(200)
    }
    expect((await check({ email, event_id: '😀'.repeat(129) })).status).toBe(400)
  })

  it.each(['no-at-sign', 'a@b@c', '@example.com', 'jane@', 'jane doe@example.com'])(
    'scores an invalid e-mail address and does not refuse it: %j',
    async (email) => {
      const { status, body } = await check({ email })
      expect(status).toBe(200)
      expect(body.content).toMatchObject({
        email,
        risk_level: 'critical',
        signals: { mx_score: 100 },
      })
    },
  )

  it('OP-18: texts without a documented length are limited by a setting', async () => {
    const email = `${'a'.repeat(1015)}@test.com`
    expect((await check({ email })).status).toBe(200)
    expect((await check({ email: `a${email}` })).body.content).toEqual({ field: 'email' })
    const event = { email: newEmail(), event_type: 'x'.repeat(1025) }
    expect((await check(event)).body.content).toEqual({ field: 'event_type' })
  })

  it('OP-37: unknown members are ignored', async () => {
    const email = newEmail()
    const { status, body } = await check({ email, score: 100, constructor: 'x', toString: null })
    expect(status).toBe(200)
    expect(body.content).toMatchObject({ email, risk_score: 0 })
  })

  it('OP-7: device and behavior are opaque, and missing members add no risk', async () => {
    const bodies = [
      { device: {} },
      { device: { fingerprint_hash: 5, a: { b: [null, 1.5, 'ü'] } }, behavior: { keys: [] } },
      { device: { fingerprint_hash: '' } },
      { device: { fingerprint_hash: 'f'.repeat(5000) } },
    ]
    for (const body of bodies) {
      const answer = await check({ email: newEmail(), ...body })
      expect(answer.status).toBe(200)
      expect(answer.body.content.risk_score).toBe(0)
    }
  })

  it('OP-7: fingerprint_hash identifies a device, and many people on it are a risk', async () => {
    const { createTenant, call } = harness()
    const { keys } = await createTenant()
    const scores: number[] = []
    for (let person = 0; person < 12; person += 1) {
      const body = { email: newEmail(), device: { fingerprint_hash: 'shared' } }
      const answer = await call({ method: 'POST', path: '/v1/check', key: keys.live_secret, body })
      scores.push(answer.body.content.risk_score)
    }
    expect(scores[0]).toBe(0)
    expect(scores.at(-1)).toBeGreaterThanOrEqual(50)
    expect(scores).toEqual(scores.toSorted((a, b) => a - b))
  })
})

type Sandbox = {
  emails: { email: string; risk_score: number | null }[]
  phone_numbers: { phone: string }[]
}

describe('the risk scale', () => {
  it.each([
    [0, 'low'],
    [24, 'low'],
    [25, 'medium'],
    [49, 'medium'],
    [50, 'high'],
    [69, 'high'],
    [70, 'critical'],
    [100, 'critical'],
  ])('puts %i at %s', (score, level) => {
    expect(riskLevel(score)).toBe(level)
  })

  it('applies to every result, in integers from 0 to 100', async () => {
    const { get, post, createTenant } = harness()
    const key = (await createTenant()).keys.test_secret
    const sandbox = await get<Sandbox>('/v1/check/sandbox', { key })
    const { emails, phone_numbers } = sandbox.body.content
    for (const { email, risk_score: own } of emails) {
      if (own === null) continue
      for (const { phone } of phone_numbers) {
        const answer = await post('/v1/check', { email, phone }, { key })
        expect(answer.status).toBe(200)
        const { risk_score, risk_level, signals } = answer.body.content
        expect(risk_level).toBe(riskLevel(risk_score))
        const { phone: _, ...strengths } = signals
        for (const number of [risk_score, ...Object.values(strengths)]) {
          expect(number).toSatisfy((n: number) => Number.isInteger(n) && n >= 0 && n <= 100)
        }
      }
    }
  })
})

describe('velocity', () => {
  it('rises when one e-mail is checked repeatedly, separately for each organization', async () => {
    const { createTenant, call } = harness()
    const [one, two] = [await createTenant(), await createTenant()]
    const body = { email: newEmail() }
    const velocity = async (key: string) => {
      const answer = await call({ method: 'POST', path: '/v1/check', key, body })
      return answer.body.content.signals.velocity_score
    }
    const scores: number[] = []
    for (let n = 0; n < 12; n += 1) scores.push(await velocity(one.keys.live_secret))
    expect(scores.slice(0, 2)).toEqual([0, 0])
    expect(scores.at(-1)).toBeGreaterThanOrEqual(50)
    expect(await velocity(two.keys.live_secret)).toBe(0)
    expect(await velocity(one.keys.test_secret)).toBe(0)
  })
})
