import { assert, date, double, jsonValue, oneof, property, string } from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTimestamp } from './told-time.ts'

const read = (told: unknown): string | undefined => {
  const ms = readTimestamp(told)
  return ms === undefined ? undefined : new Date(ms).toISOString()
}

describe('the time of an entry', () => {
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
  ])('is read from %s', (told, meant) => {
    expect(read(told)).toBe(meant)
  })

  it('without a zone is UTC', () => {
    expect(read('2026-03-01T12:34:56')).toBe('2026-03-01T12:34:56.000Z')
    expect(read('2026-03-01 12:34')).toBe('2026-03-01T12:34:00.000Z')
    expect(read('2026-03-01')).toBe('2026-03-01T00:00:00.000Z')
  })

  it('is seconds or milliseconds since 1970', () => {
    expect(read(1_772_366_096)).toBe('2026-03-01T11:54:56.000Z')
    expect(read(1_772_366_096.789)).toBe('2026-03-01T11:54:56.789Z')
    expect(read(1_772_366_096_789)).toBe('2026-03-01T11:54:56.789Z')
    expect(read(0)).toBe('1970-01-01T00:00:00.000Z')
    expect(read(-1)).toBe('1969-12-31T23:59:59.000Z')
    expect(read(-62_135_596_800)).toBe('0001-01-01T00:00:00.000Z')
    expect(read(99_999_999_999)).toBe('5138-11-16T09:46:39.000Z')
    expect(read(100_000_000_000)).toBe('1973-03-03T09:46:40.000Z')
    expect(read(8.64e15)).toBe('+275760-09-13T00:00:00.000Z')
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
    '2026-03-01T12Z',
    '2026-03-01Z',
    '2026-03-01T12:34:56+24:00',
    '2026-03-01T12:34:56 PST',
    ' 2026-03-01',
    '2026-03-01\n',
    '+275760-09-13T00:00:00.001Z',
    '+999999-01-01',
  ])('is not read from "%s"', (told) => {
    expect(readTimestamp(told)).toBeUndefined()
  })

  it.each([
    [8.64e15 + 2],
    [-8.65e15],
    [Number.POSITIVE_INFINITY],
    [Number.NaN],
    [null],
    [true],
    [{}],
    [[]],
  ])('is not %j', (told) => {
    expect(readTimestamp(told)).toBeUndefined()
  })

  it('is what a date was written as, for every date', () => {
    assert(
      property(date({ noInvalidDate: true }), (time) => {
        expect(readTimestamp(time.toISOString())).toBe(time.getTime())
      }),
    )
  })

  it('is a whole number or nothing, whatever is told', () => {
    assert(
      property(oneof(jsonValue(), double(), string()), (told) => {
        const ms = readTimestamp(told)
        expect(
          ms === undefined || (Number.isInteger(ms) && !Number.isNaN(new Date(ms).getTime())),
        ).toBe(true)
      }),
    )
  })
})
