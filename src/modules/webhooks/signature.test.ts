import { describe, expect, it } from 'vitest'
import { checkSignature } from '../../../emulators/receiver-signature.ts'
import { checksum } from '../../platform/crypto/tokens.ts'
import { newSecret, signedHeaders } from './signature.ts'

const NOW = new Date('2026-03-01T12:00:00.999Z')
const BODY = '{"id":"1","type":"order.fraud.detected","data":{"name":"Žofie 🦊"}}'
const signed = (secret: string, now = NOW) =>
  signedHeaders({
    secret,
    body: BODY,
    event_id: 'event-1',
    event_type: 'order.fraud.detected',
    now,
  })
const check = (header: string | undefined, secret: string, body = BODY) =>
  checkSignature({
    header,
    body: Buffer.from(body),
    secrets: [secret],
    tolerance_s: 300,
    now: NOW,
  })

describe('the headers of a delivery', () => {
  it('name the event and sign its exact bytes, at the second of the attempt', () => {
    expect(signed('whsec_test')).toEqual({
      'content-type': 'application/json',
      'user-agent': 'Vigil-Webhooks',
      // printf '%s' "1772366400.$BODY" | openssl dgst -sha256 -hmac whsec_test
      'x-service-signature':
        't=1772366400,v1=374e1e67ab4fa53d7ebe9a4239484938feeafcf19b0718d1e4fd8e74b900c857',
      'x-service-event': 'order.fraud.detected',
      'x-service-delivery': 'event-1',
      'webhook-id': 'event-1',
      'webhook-timestamp': '1772366400',
      'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/) as string,
    })
  })

  it('verify only with the same secret, the same bytes and within the tolerance', () => {
    const header = signed('whsec_a')['x-service-signature']
    expect(check(header, 'whsec_a')).toBe('valid')
    expect(check(header, 'whsec_b')).toBe('invalid')
    expect(check(header, 'whsec_a', `${BODY} `)).toBe('invalid')
    const old = signed('whsec_a', new Date(NOW.getTime() - 301_000))['x-service-signature']
    expect(check(old, 'whsec_a')).toBe('stale')
  })
})

describe('a secret', () => {
  it('has a recognizable form, is unique, and has a short visible prefix', () => {
    const [first, second] = [newSecret(), newSecret()]
    expect(first.secret).toMatch(/^whsec_\w{40}$/)
    expect(checksum(first.secret.slice(0, -6))).toBe(first.secret.slice(-6))
    expect(first.secret).not.toBe(second.secret)
    expect(first.secret_prefix).toBe(first.secret.slice(0, 10))
  })
})
