import { assert, double, integer, jsonValue, oneof, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readReportedTime } from './reported-time.ts'

const read = (value: unknown): string | undefined => {
  const ms = readReportedTime(value)
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

describe('a reported time', () => {
  it.each([
    [1_772_366_096, '2026-03-01T11:54:56.000Z'],
    [1_772_366_096.789, '2026-03-01T11:54:56.789Z'],
    [1_772_366_096_789, '2026-03-01T11:54:56.789Z'],
    [1_772_366_096_789_123, '2026-03-01T11:54:56.789Z'],
    [1.772366096789e18, '2026-03-01T11:54:56.789Z'],
    [0, '1970-01-01T00:00:00.000Z'],
    [-1, '1969-12-31T23:59:59.000Z'],
    [-62_135_596_800, '0001-01-01T00:00:00.000Z'],
    [-62_135_596_800_000, '0001-01-01T00:00:00.000Z'],
    [99_999_999_999, '5138-11-16T09:46:39.000Z'],
    [100_000_000_000, '1973-03-03T09:46:40.000Z'],
    [99_999_999_999_999, '5138-11-16T09:46:39.999Z'],
    [100_000_000_000_000, '1973-03-03T09:46:40.000Z'],
    [99_999_999_999_990_000, '5138-11-16T09:46:39.990Z'],
    [100_000_000_000_000_000, '1973-03-03T09:46:40.000Z'],
  ])('is Unix time in a unit that is recognized by its size: %d', (value, expected) => {
    expect(read(value)).toBe(expected)
  })

  it.each([
    ['1700000000', '2023-11-14T22:13:20.000Z'],
    ['1700000000.5', '2023-11-14T22:13:20.500Z'],
    ['1700000000123', '2023-11-14T22:13:20.123Z'],
    ['1700000000123456', '2023-11-14T22:13:20.123Z'],
    ['1700000000123456789', '2023-11-14T22:13:20.123Z'],
    ['-100000000', '1966-10-31T14:13:20.000Z'],
    ['2026-03-01T12:34:56.789+02:00', '2026-03-01T10:34:56.789Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('can be a text: %s', (value, expected) => {
    expect(read(value)).toBe(expected)
  })

  it.each([
    ['a year', '2026'],
    ['a date in the basic format', '20260301'],
    ['an exponent', '1.7e9'],
    ['a sign', '+1700000000'],
    ['a space', ' 1700000000'],
    ['a point without digits', '1700000000.'],
    ['digits without end', '9'.repeat(400)],
    ['a year of six digits', '+010000-01-01T00:00:00Z'],
    ['a year before 0', '-000001-01-01T00:00:00Z'],
    ['a zone that moves it after the year 9999', '9999-12-31T23:59:59-01:00'],
    ['seconds before the year 0', -99_999_999_999],
    ['more than nanoseconds', 1e20],
    ['infinity', Number.POSITIVE_INFINITY],
    ['no number', Number.NaN],
    ['null', null],
    ['a list', [1_700_000_000]],
  ])('is not %s', (_, value) => {
    expect(readReportedTime(value)).toBeUndefined()
  })

  it('is the same as a number and as a text, for every integer', () => {
    assert(
      property(integer({ min: 100_000_000 }), integer({ min: 0, max: 9 }), (number, zeros) => {
        const scaled = number * 10 ** zeros
        expect(readReportedTime(String(scaled))).toBe(readReportedTime(scaled))
      }),
    )
  })

  it('has a year of four digits or is refused, for every JSON value', () => {
    assert(
      property(oneof(jsonValue(), double(), string()), (value) => {
        const time = read(value)
        expect(time === undefined || /^\d{4}-/.test(time)).toBe(true)
      }),
    )
  })
})
