import { describe, expect, it } from 'vitest'
import { isTime, readTime } from './date-time.ts'

const read = (text: string): string => readTime(text, 'ordered_at').toISOString()

describe('a time in a request', () => {
  it.each([
    ['2026-03-01T10:00:00+01:00', '2026-03-01T09:00:00.000Z'],
    ['2026-03-01 10:00:00z', '2026-03-01T10:00:00.000Z'],
    ['2026-03-01t10:00:00.123456Z', '2026-03-01T10:00:00.123Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['2026-11-20T10:00:00', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00Z', '2026-11-20T10:00:00.000Z'],
    ['2026-11-20T10:00', '2026-11-20T10:00:00.000Z'],
    ['20261120T100000Z', '2026-11-20T10:00:00.000Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, time) => {
    expect(isTime(text)).toBe(true)
    expect(read(text)).toBe(time)
  })

  it.each([
    ['a date', '2026-11-20'],
    ['a day that does not exist', '2026-02-30T10:00:00Z'],
    ['a leap second in the middle of a day', '2016-12-31T12:00:60Z'],
    ['Unix time', '1772366096'],
    ['before the year 0', '0000-01-01T00:00:00+00:01'],
    ['after the year 9999', '9999-12-31T23:59:59-00:01'],
  ])('%s is refused with the name of the field', (_, text) => {
    expect(isTime(text)).toBe(false)
    expect(() => read(text)).toThrow(
      'ordered_at must be a time in RFC 3339, such as 2026-03-01T12:00:00Z',
    )
  })
})
