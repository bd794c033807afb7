import { describe, expect, it } from 'vitest'
import { bytesOf, doubleKeyOf, EMPTY_DRAFT, idsOf, messageOf } from './draft.ts'

describe('a draft', () => {
  it('asks for what was filled in, and for nothing else', () => {
    expect(messageOf({ ...EMPTY_DRAFT, title: 'Hello' })).toEqual({ all: true, title: 'Hello' })
    const draft = {
      ...EMPTY_DRAFT,
      target: 'external_user_ids' as const,
      ids: ' anna \n\nben\nanna',
      data: [
        { key: 'order_id', value: '8841' },
        { key: '', value: 'lost' },
      ],
      ttl_seconds: '0',
      badge: '3',
      priority: 'normal' as const,
      send_at: '2026-03-01T12:00',
    }
    expect(messageOf(draft)).toEqual({
      external_user_ids: ['anna', 'ben'],
      data: { order_id: '8841' },
      ttl_seconds: 0,
      badge: 3,
      priority: 'normal',
    })
    const later = messageOf({ ...draft, is_later: true })
    expect(later.send_at).toBe(new Date('2026-03-01T12:00').toISOString())
  })

  it('counts bytes and not characters', () => {
    const [plain, wide] = ['aa', 'žž'].map((title) => bytesOf({ all: true, title }))
    expect((wide ?? 0) - (plain ?? 0)).toBe(2)
  })

  it('is not sent at once because its time cannot be read', () => {
    const later = { ...EMPTY_DRAFT, title: 'Hello', is_later: true }
    for (const send_at of ['', '275760-12-31T00:00', 'tomorrow']) {
      expect(messageOf({ ...later, send_at }).send_at, send_at).toBe('')
    }
  })

  it('finds keys that are there twice', () => {
    const data = ['a', 'b', 'a', '', ''].map((key) => ({ key, value: 'x' }))
    expect(doubleKeyOf({ data })).toBe('a')
    expect(doubleKeyOf({ data: data.slice(1) })).toBeUndefined()
  })

  it('names each id once', () => {
    expect(idsOf({ ids: 'a\r\nb\na' })).toEqual(['a', 'b'])
  })
})
