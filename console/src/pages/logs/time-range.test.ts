import { describe, expect, it } from 'vitest'
import { datesOf, localText, QUICK_RANGES, rangeOf, timeOfLocal, widened } from './time-range.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const datesFor = (view: Partial<{ range: string; from: string; to: string }>) =>
  datesOf(rangeOf({ range: '', from: '', to: '', ...view }), NOW)

describe('a range', () => {
  it('that is relative moves on with the clock', () => {
    expect(datesFor({ range: '15m' })).toEqual({
      start_date: '2026-03-01T11:45:00.000Z',
      end_date: '2026-03-01T12:00:00.000Z',
    })
    expect(datesFor({ range: '7d' }).start_date).toBe('2026-02-22T12:00:00.000Z')
  })

  it.each(['', 'x', '0h', '1y', '99999d', '-1h', '<b>'])(
    'that reads %j is the last hour',
    (range) => {
      expect(datesFor({ range })).toEqual({
        start_date: '2026-03-01T11:00:00.000Z',
        end_date: '2026-03-01T12:00:00.000Z',
      })
    },
  )

  it('of the menu is read as it is written there', () => {
    for (const { value } of QUICK_RANGES) {
      const range = rangeOf({ range: value, from: '', to: '' })
      expect(range.kind === 'relative' ? range.token : range.kind).toBe(value)
    }
  })

  it('that is absolute wins over a relative one, and may be open at either side', () => {
    const [from, to] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']
    expect(datesFor({ range: '1h', from, to })).toEqual({ start_date: from, end_date: to })
    expect(datesFor({ from })).toEqual({ start_date: from })
    expect(datesFor({ to })).toEqual({ end_date: to })
    expect(datesFor({ range: '1h', from: 'x', to })).toEqual({ end_date: to })
    expect(datesFor({ range: '24h', from: 'x' }).start_date).toBe('2026-02-28T12:00:00.000Z')
  })

  it('by receipt has no dates', () => {
    expect(datesFor({ range: 'received' })).toEqual({})
  })
})

describe('widening', () => {
  it('makes a range twice as long, with the same middle', () => {
    const dates = { start_date: '2026-02-01T10:00:00.000Z', end_date: '2026-02-01T12:00:00.000Z' }
    expect(widened(dates, NOW)).toEqual({
      from: '2026-02-01T09:00:00.000Z',
      to: '2026-02-01T13:00:00.000Z',
    })
  })

  it('does not reach into the future, nor beyond what can be written', () => {
    const dates = { start_date: '2026-03-01T11:00:00.000Z', end_date: '2026-03-01T12:00:00.000Z' }
    expect(widened(dates, NOW)).toEqual({
      from: '2026-03-01T10:00:00.000Z',
      to: '2026-03-01T12:00:00.000Z',
    })
    const all = { start_date: '0000-01-01T00:00:00.000Z', end_date: '9999-12-31T00:00:00.000Z' }
    expect(widened(all, NOW)).toEqual({
      from: '0000-01-01T00:00:00.000Z',
      to: '9999-12-31T00:00:00.000Z',
    })
  })

  it('of a single moment shows what is around it', () => {
    const moment = '2026-02-01T10:00:00.000Z'
    expect(widened({ start_date: moment, end_date: moment }, NOW)).toEqual({
      from: '2026-02-01T09:59:59.000Z',
      to: '2026-02-01T10:00:01.000Z',
    })
  })
})

describe('fields of local time', () => {
  it('are read as they are written, to the second', () => {
    for (const text of ['2026-03-01T12:34:56', '1970-01-01T00:00:00', '0987-06-05T04:03:02']) {
      expect(localText(timeOfLocal(text) ?? new Date(0))).toBe(text)
    }
    expect(timeOfLocal('')).toBeUndefined()
    expect(timeOfLocal('soon')).toBeUndefined()
  })
})
