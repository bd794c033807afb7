import { describe, expect, it } from 'vitest'
import { bytesOf, duplicateKeyOf, EMPTY_DRAFT, idsOf, messageOf } from './draft.ts'

describe('a draft', () => {
  it('becomes a request with the filled fields only', () => {
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

  it('is not sent immediately when its time is invalid', () => {
    const later = { ...EMPTY_DRAFT, title: 'Hello', is_later: true }
    for (const send_at of ['', '275760-12-31T00:00', 'tomorrow']) {
      expect(messageOf({ ...later, send_at }).send_at, send_at).toBe('')
    }
  })

  it('finds duplicate keys', () => {
    const data = ['a', 'b', 'a', '', ''].map((key) => ({ key, value: 'x' }))
    expect(duplicateKeyOf({ data })).toBe('a')
    expect(duplicateKeyOf({ data: data.slice(1) })).toBeUndefined()
  })

  it('contains each id once', () => {
    expect(idsOf({ ids: 'a\r\nb\na' })).toEqual(['a', 'b'])
  })
})
