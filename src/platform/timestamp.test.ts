import { assert, date, double, jsonValue, oneof, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTimestamp } from './timestamp.ts'

const read = (value: unknown): string | undefined => {
  const ms = readTimestamp(value)
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

describe('a timestamp', () => {
  it.each([
    ['2026-03-01T12:34:56.789Z', '2026-03-01T12:34:56.789Z'],
    ['2026-03-01T12:34:56Z', '2026-03-01T12:34:56.000Z'],
    ['2026-03-01T12:34Z', '2026-03-01T12:34:00.000Z'],
    ['2026-03-01t12:34:56z', '2026-03-01T12:34:56.000Z'],
    ['2026-03-01T12:34:56+02:00', '2026-03-01T10:34:56.000Z'],
    ['2026-03-01T12:34:56.5-0530', '2026-03-01T18:04:56.500Z'],
    ['2026-03-01T12:34:56+02', '2026-03-01T10:34:56.000Z'],
    ['2026-03-01T00:30+01:00', '2026-02-28T23:30:00.000Z'],
    ['2026-03-01 12:34:56,123456789Z', '2026-03-01T12:34:56.123Z'],
    ['2026-03-01T12:34:56.999999Z', '2026-03-01T12:34:56.999Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['1970-01-01T00:00:00Z', '1970-01-01T00:00:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0000-02-29', '0000-02-29T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['+012345-06-07T08:09:10Z', '+012345-06-07T08:09:10.000Z'],
    ['-000001-01-01T00:00:00Z', '-000001-01-01T00:00:00.000Z'],
    ['2026-03-01T12:34:56.1234567890123Z', '2026-03-01T12:34:56.123Z'],
    ['20260301T123456Z', '2026-03-01T12:34:56.000Z'],
    ['20260301T123456.789+0200', '2026-03-01T10:34:56.789Z'],
    ['20260301T1234', '2026-03-01T12:34:00.000Z'],
    ['20240229t123456z', '2024-02-29T12:34:56.000Z'],
    ['2016-12-31T23:59:60Z', '2016-12-31T23:59:59.999Z'],
    ['2017-01-01T00:59:60.5+01:00', '2016-12-31T23:59:59.999Z'],
    ['2016-12-31T18:59:60-05:00', '2016-12-31T23:59:59.999Z'],
    ['20161231T235960Z', '2016-12-31T23:59:59.999Z'],
  ])('is read from %s', (value, expected) => {
    expect(read(value)).toBe(expected)
  })

  it('without a zone is UTC', () => {
    expect(read('2026-03-01T12:34:56')).toBe('2026-03-01T12:34:56.000Z')
    expect(read('2026-03-01 12:34')).toBe('2026-03-01T12:34:00.000Z')
    expect(read('2026-03-01')).toBe('2026-03-01T00:00:00.000Z')
  })

  it.each([
    '',
    'yesterday',
    '1772366096',
    '2026',
    '2026-03',
    '2026-13-01',
    '2026-00-01',
    '2026-02-29',
    '2026-04-31',
    '1900-02-29',
    '2026-03-01T24:00:00Z',
    '2026-03-01T12:60:00Z',
    '2026-03-01T12:34:60Z',
    '2016-12-31T23:59:60+01:00',
    '2016-12-31T23:59:61Z',
    '20260301',
    '20260230T123456Z',
    '20260301T12:34:56Z',
    '2026-03-01T123456Z',
    '20260301 123456Z',
    '2026-03-01T12Z',
    '2026-03-01Z',
    '2026-03-01T12:34:56+24:00',
    '2026-03-01T12:34:56 PST',
    ' 2026-03-01',
    '2026-03-01\n',
    '+275760-09-13T00:00:00.001Z',
    '+999999-01-01',
  ])('is not read from "%s"', (value) => {
    expect(readTimestamp(value)).toBeUndefined()
  })

  it.each([[1_772_366_096], [null], [true], [{}], [[]]])('is not %j', (value) => {
    expect(readTimestamp(value)).toBeUndefined()
  })

  it('is read back as it was written, for every date', () => {
    assert(
      property(date({ noInvalidDate: true }), (time) => {
        expect(readTimestamp(time.toISOString())).toBe(time.getTime())
      }),
    )
  })

  it('is a whole number or undefined, for every JSON value', () => {
    assert(
      property(oneof(jsonValue(), double(), string()), (value) => {
        const ms = readTimestamp(value)
        expect(
          ms === undefined || (Number.isInteger(ms) && !Number.isNaN(new Date(ms).getTime())),
        ).toBe(true)
      }),
    )
  })
})
