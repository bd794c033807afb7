import { describe, expect, it } from 'vitest'
import type { PushContent } from '../tables.ts'
import { androidMessage, appleMessage, findContentFault } from './content.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const BOTH = { android_package_name: 'com.example.shop', ios_bundle_id: 'com.example.shop' }
const ANDROID = { ...BOTH, ios_bundle_id: null }
const APPLE = { ...BOTH, android_package_name: null }
const TO = { message_id: 'm', recipient_id: 'r', token: 't' }

const faultOf = (content: PushContent, names: Parameters<typeof findContentFault>[1]) =>
  findContentFault(content, names, NOW)?.field

describe('findContentFault', () => {
  it('checks the configured providers of the app, and no others', () => {
    const reserved = { data: { aps: '1' } }
    expect(faultOf(reserved, BOTH)).toBe('data.aps')
    expect(faultOf(reserved, APPLE)).toBe('data.aps')
    expect(faultOf(reserved, ANDROID)).toBeUndefined()
    expect(faultOf({ data: { from: '1' } }, ANDROID)).toBe('data.from')
    expect(faultOf({ data: { from: '1' } }, APPLE)).toBeUndefined()
    expect(faultOf({ data: { vigil_x: '1' } }, BOTH)).toBe('data.vigil_x')
  })

  it('counts added data towards the length, and names the longest field', () => {
    expect(faultOf({ title: 'Hello', body: 'x'.repeat(5000) }, BOTH)).toBe('body')
    expect(faultOf({ title: 'Hello', body: 'x'.repeat(4090) }, APPLE)).toBe('body')
    expect(faultOf({ title: 'Hello', body: 'x'.repeat(3500) }, BOTH)).toBeUndefined()
  })
})

describe('the messages for providers', () => {
  it.each([
    [{ title: 'x' }, 'high'],
    [{ body: 'x' }, 'high'],
    [{ data: { a: '1' } }, 'normal'],
    [{ title: 'x', priority: 'normal' }, 'normal'],
    [{ data: { a: '1' }, priority: 'high' }, 'high'],
  ] as const)('%j has priority %s', (content, priority) => {
    expect(androidMessage(content, TO, 'a.b')).toMatchObject({
      ...TO,
      priority,
      package_name: 'a.b',
    })
    expect(appleMessage(content, TO, 'a.b')).toMatchObject({ ...TO, priority, bundle_id: 'a.b' })
  })
})
