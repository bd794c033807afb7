import { describe, expect, it } from 'vitest'
import { readRequest } from './request.ts'
import type { MessageRequest } from './schema.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const APP = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'
const LEAST: MessageRequest = { application_id: APP, all: true, title: 'Hello' }

const read = (request: MessageRequest) => readRequest(request, NOW, 90)
const faultOf = (request: MessageRequest) => {
  try {
    return read(request)
  } catch (error) {
    return (error as { body: { content: { field: string } } }).body.content.field
  }
}

describe('a request for a message', () => {
  it('has exactly the given content', () => {
    const content = { title: 'Hello', body: 'World', data: { a: '1' }, ttl_seconds: 0, badge: 0 }
    expect(read({ application_id: APP, all: true, ...content })).toEqual({
      target: 'all',
      target_ids: [],
      content,
      send_at: undefined,
    })
  })

  it('removes duplicate targets', () => {
    const users = ['b', 'a', 'b', 'A']
    expect(read({ ...LEAST, all: undefined, external_user_ids: users } as never)).toMatchObject({
      target: 'external_user_ids',
      target_ids: ['b', 'a', 'A'],
    })
    const { all: _, ...rest } = LEAST
    const ids = [APP, APP.toUpperCase()]
    expect(read({ ...rest, subscription_ids: ids })).toMatchObject({ target_ids: [APP] })
  })

  it.each([
    ['application_id', { all: true, title: 'x' }],
    ['push_configuration_id', { ...LEAST, push_configuration_id: APP }],
    ['all', { application_id: APP, title: 'x' }],
    ['external_user_ids', { ...LEAST, external_user_ids: ['a'] }],
    ['subscription_ids', { ...LEAST, subscription_ids: [APP] }],
    ['title', { application_id: APP, all: true }],
    ['title', { application_id: APP, all: true, data: {} }],
    ['image', { ...LEAST, image: 'picture.png' }],
    ['image', { ...LEAST, image: 'http://shop.example/a.png' }],
    ['send_at', { ...LEAST, send_at: '2026-05-30T12:00:00.001Z' }],
    ['send_at', { ...LEAST, send_at: '2026-03-31T12:00:60Z' }],
  ] as const)('is refused naming %s', (field, request) => {
    expect(faultOf(request as unknown as MessageRequest)).toBe(field)
  })

  it('reads send_at with its zone, and sends immediately if it is in the past', () => {
    const at = (send_at: string) => read({ ...LEAST, send_at }).send_at
    expect(at('2026-03-01T14:00:01+02:00')).toEqual(new Date('2026-03-01T12:00:01.000Z'))
    expect(at('2026-05-30T12:00:00Z')).toEqual(new Date('2026-05-30T12:00:00.000Z'))
    expect(at('2026-03-01T12:00:00Z')).toBeUndefined()
    expect(at('1999-01-01T00:00:00Z')).toBeUndefined()
  })
})
