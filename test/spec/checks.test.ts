/** Specification, "Checks and phone": what is promised, promise by promise. */
import { describe, expect, it } from 'vitest'
import { useHarness } from '../harness.ts'

const harness = useHarness()

describe('POST /check', () => {
  it('answers the documented members and no others', async () => {
    const { call, createTenant } = harness()
    const { keys } = await createTenant()
    const { status, body } = await call({
      method: 'POST',
      path: '/v1/check',
      key: keys.live_secret,
      body: { email: 'jane@mailinator.com', phone: '+4915112345678' },
    })
    expect(status).toBe(200)
    expect(body.message).toBe('Check completed')
    expect(Object.keys(body).toSorted()).toEqual(['content', 'message', 'success'])
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
    expect(body.content).toMatchObject({
      email: 'jane@mailinator.com',
      risk_level: 'critical',
      tier: 'standard',
      credits_used: 1,
      is_sandbox: false,
      signals: {
        disposable_score: 100,
        phone: { is_valid: true, country_code: 'DE', line_type: 'mobile' },
      },
    })
  })
})
