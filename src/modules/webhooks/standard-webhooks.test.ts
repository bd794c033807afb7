/** Receivers can verify deliveries with the libraries of Standard Webhooks. */
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { newSecret, signedHeaders } from './signature.ts'

const BODY = JSON.stringify({ id: '1', type: 'email.check.completed', data: { name: 'Žofie 🦊' } })
/** The library takes the time from the clock. */
const NOW = new Date()
/** A secret from before secrets had the length that base64 without padding has. */
const OLD = 'whsec_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9'

const event = { event_id: 'event-1', event_type: 'email.check.completed', body: BODY, now: NOW }

describe('the library of Standard Webhooks', () => {
  it('accepts deliveries, with new secrets as they are and older ones with padding', () => {
    const { secret } = newSecret()
    expect(new Webhook(secret).verify(BODY, signedHeaders({ secret, ...event }))).toMatchObject({
      id: '1',
    })
    const headers = signedHeaders({ secret: OLD, ...event })
    expect(new Webhook(`${OLD}==`).verify(BODY, headers)).toMatchObject({ id: '1' })
  })

  it('accepts both secrets while they overlap', () => {
    const [{ secret }, { secret: previous_secret }] = [newSecret(), newSecret()]
    const headers = signedHeaders({ secret, previous_secret, ...event })
    expect(new Webhook(secret).verify(BODY, headers)).toBeDefined()
    expect(new Webhook(previous_secret).verify(BODY, headers)).toBeDefined()
    expect(() => new Webhook(newSecret().secret).verify(BODY, headers)).toThrow()
  })

  it('refuses another body and another id', () => {
    const { secret } = newSecret()
    const headers = signedHeaders({ secret, ...event })
    expect(() => new Webhook(secret).verify(`${BODY} `, headers)).toThrow()
    expect(() =>
      new Webhook(secret).verify(BODY, { ...headers, 'webhook-id': 'event-2' }),
    ).toThrow()
  })

  it('agrees with the vector of the specification', () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const body = '{"test": 2432232314}'
    const now = new Date(1614265330 * 1000)
    const signed = signedHeaders({
      secret,
      body,
      event_id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      event_type: '',
      now,
    })
    expect(signed['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
  })
})
