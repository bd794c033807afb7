import { describe, expect, it } from 'vitest'
import type { AppleMessage } from '../providers/port.ts'
import { buildApnsRequest } from './apns.ts'

const NOW = new Date('2026-03-01T12:00:00.500Z')
const MESSAGE: AppleMessage = {
  recipient_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  message_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c08',
  token: 'ab'.repeat(32),
  bundle_id: 'com.example.app',
  title: 'Your order',
  data: {},
  priority: 'high',
}

function built(change: Partial<AppleMessage> = {}) {
  const result = buildApnsRequest({ ...MESSAGE, ...change }, NOW)
  if (!result.ok) throw new Error(result.fault.field)
  return { headers: result.value.headers, body: JSON.parse(result.value.body) as unknown }
}

const SILENT = { priority: 'high' as const, data: { a: '1' } }
function builtSilent(change: Partial<AppleMessage> = {}) {
  const { title: _, ...rest } = MESSAGE
  const result = buildApnsRequest({ ...rest, ...SILENT, ...change }, NOW)
  if (!result.ok) throw new Error(result.fault.field)
  return { headers: result.value.headers, body: JSON.parse(result.value.body) as unknown }
}

describe('the request for APNs', () => {
  it('has every part in its place', () => {
    const { headers, body } = built({
      body: 'It is ready ✓',
      data: { order_id: '17' },
      image: 'https://example.com/a.png',
      deep_link: 'app://orders/17',
      ttl_seconds: 3600,
      collapse_key: 'order-17',
      badge: 0,
      sound: 'default',
    })
    expect(headers).toEqual({
      'apns-topic': 'com.example.app',
      'apns-push-type': 'alert',
      'apns-id': MESSAGE.recipient_id,
      'apns-priority': '10',
      'apns-expiration': '1772370000',
      'apns-collapse-id': 'order-17',
    })
    expect(body).toEqual({
      aps: {
        alert: { title: 'Your order', body: 'It is ready ✓' },
        badge: 0,
        sound: 'default',
        'mutable-content': 1,
      },
      order_id: '17',
      vigil_message_id: MESSAGE.message_id,
      vigil_recipient_id: MESSAGE.recipient_id,
      vigil_deep_link: 'app://orders/17',
      vigil_image: 'https://example.com/a.png',
    })
  })

  it('is a background notification with its priority when nothing is shown', () => {
    const { headers, body } = builtSilent()
    expect(headers).toMatchObject({ 'apns-push-type': 'background', 'apns-priority': '5' })
    expect(headers).not.toHaveProperty('apns-collapse-id')
    expect(body).toMatchObject({ aps: { 'content-available': 1 }, a: '1' })
  })

  it('is an alert when there is only a badge', () => {
    const { headers, body } = builtSilent({ badge: 2 })
    expect(headers).toMatchObject({ 'apns-push-type': 'alert', 'apns-priority': '10' })
    expect(body).toMatchObject({ aps: { badge: 2 } })
  })

  it('has a lower priority on request', () => {
    expect(built({ priority: 'normal' }).headers['apns-priority']).toBe('5')
  })

  it('expires immediately with a TTL of 0, and has no expiration without a TTL', () => {
    expect(built({ ttl_seconds: 0 }).headers['apns-expiration']).toBe('0')
    expect(built().headers).not.toHaveProperty('apns-expiration')
  })

  it('makes a repeated notification replace the first', () => {
    expect(built().headers['apns-collapse-id']).toBe(MESSAGE.recipient_id)
  })

  it.each(['x'.repeat(65), 'zwei Wörter', '注文'])(
    'has a collapse id that fits into a header and is always the same: %j',
    (collapse_key) => {
      const [one, two] = [built({ collapse_key }), built({ collapse_key })]
      const id = one.headers['apns-collapse-id'] ?? ''
      expect(id).toMatch(/^[\w-]{43}$/)
      expect(two.headers['apns-collapse-id']).toBe(id)
      expect(built({ collapse_key: `${collapse_key}2` }).headers['apns-collapse-id']).not.toBe(id)
    },
  )

  it('keeps a collapse key of 64 bytes', () => {
    const collapse_key = 'x'.repeat(64)
    expect(built({ collapse_key }).headers['apns-collapse-id']).toBe(collapse_key)
  })

  it.each([
    ['data.aps', { data: { aps: '{}' } }],
    ['data.vigil_a', { data: { vigil_a: 'x' } }],
    ['ttl_seconds', { ttl_seconds: -1 }],
    ['badge', { badge: 1.5 }],
    ['bundle_id', { bundle_id: 'a b' }],
    ['recipient_id', { recipient_id: '17' }],
    ['title', { title: 'x'.repeat(4096) }],
    ['deep_link', { deep_link: 'x'.repeat(4000) }],
    ['data.big', { data: { big: '✓'.repeat(1400) } }],
  ])('names %s as the invalid field (%#)', (field, change) => {
    const result = buildApnsRequest({ ...MESSAGE, ...change }, NOW)
    expect(result).toMatchObject({ ok: false, fault: { field } })
  })
})
