import { describe, expect, it } from 'vitest'
import { readTime } from './time-text.ts'

const read = (text: string): string => readTime(text, 'ordered_at').toISOString()

describe('a time that is told', () => {
  it.each([
    ['2026-03-01T10:00:00+01:00', '2026-03-01T09:00:00.000Z'],
    ['2026-03-01 10:00:00z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01t10:00:00.123456Z', '2026-03-01T10:00:00.123Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, time) => {
    expect(read(text)).toBe(time)
  })

  it.each([
    ['a leap second', '2016-12-31T23:59:60Z'],
    ['before the year 0', '0000-01-01T00:00:00+00:01'],
    ['after the year 9999', '9999-12-31T23:59:59-00:01'],
  ])('%s is refused with the name of the field', (_, text) => {
    expect(() => read(text)).toThrow('ordered_at is not a time')
  })
})
