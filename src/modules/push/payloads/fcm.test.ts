import { describe, expect, it } from 'vitest'
import { findMessageFault, readApiDescription } from '../../../platform/google/api-description.ts'
import type { AndroidMessage } from '../providers/port.ts'
import { buildFcmBody, writeFcmBody } from './fcm.ts'

const MESSAGE: AndroidMessage = {
  recipient_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07',
  message_id: '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c08',
  token: 'device:token',
  package_name: 'com.example.app',
  data: {},
  priority: 'high',
}
const FULL: AndroidMessage = {
  ...MESSAGE,
  title: 'Your order',
  body: 'It is ready ✓',
  data: { order_id: '17', collapse_key: 'allowed' },
  image: 'https://example.com/a.png',
  deep_link: 'app://orders/17',
  ttl_seconds: 3600,
  collapse_key: 'order-17',
  badge: 3,
  sound: 'default',
  channel_id: 'orders',
}

function built(message: AndroidMessage) {
  const result = buildFcmBody(message)
  if (!result.ok) throw new Error(result.fault.field)
  return result.value.message
}

describe('the body for FCM', () => {
  it.each([
    FULL,
    MESSAGE,
    { ...FULL, token: 'a "token" \\ of\nFCM' },
    { ...MESSAGE, title: 'x'.repeat(5000) },
  ])('is the same when written as JSON (%#)', (message) => {
    const body = buildFcmBody(message)
    const written = writeFcmBody(message)
    expect(
      written.ok ? { ok: true, value: JSON.parse(written.value) as unknown } : written,
    ).toEqual(body)
  })

  it.each([
    ['all fields', FULL],
    ['the required fields', MESSAGE],
    ['only a title', { ...MESSAGE, title: 'Hello' }],
    ['no storage', { ...FULL, ttl_seconds: 0, priority: 'normal' as const }],
  ])('matches the schema of Google: %s', (_, message) => {
    const api = readApiDescription('fcm')
    const body = { message: built(message) }
    const fault = findMessageFault(api, 'SendMessageRequest', body, { is_request: true })
    expect(fault).toBeUndefined()
  })

  it('has every part in its place', () => {
    expect(built(FULL)).toEqual({
      token: 'device:token',
      notification: {
        title: 'Your order',
        body: 'It is ready ✓',
        image: 'https://example.com/a.png',
      },
      data: {
        order_id: '17',
        collapse_key: 'allowed',
        vigil_message_id: FULL.message_id,
        vigil_recipient_id: FULL.recipient_id,
        vigil_deep_link: 'app://orders/17',
      },
      android: {
        priority: 'HIGH',
        restrictedPackageName: 'com.example.app',
        ttl: '3600s',
        collapseKey: 'order-17',
        notification: {
          tag: 'order-17',
          channelId: 'orders',
          sound: 'default',
          notificationCount: 3,
        },
      },
    })
  })

  it('shows nothing when there is nothing to show', () => {
    const { notification, android } = built({ ...MESSAGE, sound: 'default', badge: 1 })
    expect(notification).toBeUndefined()
    expect(android.notification).toBeUndefined()
  })

  it('makes a repeated notification replace the first, even without a collapse key', () => {
    const { android } = built({ ...MESSAGE, title: 'Hello' })
    expect(android.notification?.tag).toBe(MESSAGE.recipient_id)
    expect(android).not.toHaveProperty('collapseKey')
  })

  it.each([
    ['from', { from: 'x' }],
    ['message_type', { message_type: 'x' }],
    ['google.a', { 'google.a': 'x' }],
    ['gcm.notification.a', { 'gcm.notification.a': 'x' }],
    ['vigil_a', { vigil_a: 'x' }],
    ['', { '': 'x' }],
  ])('rejects the reserved data key %j', (key, data) => {
    const result = buildFcmBody({ ...MESSAGE, data })
    expect(result).toMatchObject({ ok: false, fault: { field: `data.${key}` } })
  })

  it.each([
    ['ttl_seconds', { ttl_seconds: 2_419_201 }],
    ['ttl_seconds', { ttl_seconds: -1 }],
    ['ttl_seconds', { ttl_seconds: 1.5 }],
    ['badge', { badge: -1 }],
    ['package_name', { package_name: 'no package' }],
    ['title', { title: 'x'.repeat(5000), body: 'y'.repeat(100) }],
    ['body', { title: 'x', body: '✓'.repeat(1400) }],
    ['data.big', { data: { small: 'x', big: 'x'.repeat(4000) } }],
  ])('names %s as the invalid field (%#)', (field, change) => {
    expect(buildFcmBody({ ...MESSAGE, ...change })).toMatchObject({ ok: false, fault: { field } })
  })
})
