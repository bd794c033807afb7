/** Receivers can verify deliveries with Stripe's library, because the signature format is the same. */
import { Stripe } from 'stripe'
import { describe, expect, it } from 'vitest'
import { newSecret, signedHeaders } from './signature.ts'

const BODY = JSON.stringify({ id: '1', type: 'email.check.completed', data: { name: 'Žofie 🦊' } })
const NOW = new Date('2026-03-01T12:00:00.500Z')
const TOLERANCE_S = 300

describe("Stripe's own library", () => {
  const { secret } = newSecret()
  const event = { event_id: '1', event_type: 'email.check.completed' }
  const header = signedHeaders({ secret, body: BODY, ...event, now: NOW })['x-service-signature']
  const verify = (body: string, key: string, laterS = 0) =>
    Stripe.webhooks.signature?.verifyHeader(
      body,
      header ?? '',
      key,
      TOLERANCE_S,
      undefined,
      NOW.getTime() + laterS * 1000,
    )

  it('accepts the signature of a delivery', () => {
    expect(verify(BODY, secret)).toBe(true)
    expect(verify(BODY, secret, TOLERANCE_S)).toBe(true)
  })

  it.each([
    ['another body', `${BODY}\n`, secret, 0],
    ['another secret', BODY, newSecret().secret, 0],
    ['a later time', BODY, secret, TOLERANCE_S + 1],
  ])('rejects the signature for %s', (_what, body, key, laterS) => {
    expect(() => verify(body, key, laterS)).toThrow(Stripe.errors.StripeSignatureVerificationError)
  })
})
