import { describe, expect, it } from 'vitest'
import { datesOf, localText, QUICK_RANGES, rangeOf, timeOfLocal, zoomedOut } from './time-range.ts'

const NOW = new Date('2026-03-01T12:00:00.000Z')
const datesFor = (view: Partial<{ range: string; from: string; to: string; q: string }>) =>
  datesOf(rangeOf({ range: '', from: '', to: '', ...view }), NOW)

describe('a time range', () => {
  it('moves with the clock if it is relative', () => {
    expect(datesFor({ range: '15m' })).toEqual({
      start_date: '2026-03-01T11:45:00.000Z',
      end_date: '2026-03-01T12:00:00.000Z',
    })
    expect(datesFor({ range: '7d' }).start_date).toBe('2026-02-22T12:00:00.000Z')
  })

  it.each(['', 'x', '0h', '1y', '99999d', '-1h', '<b>'])(
    'is the last hour for the invalid value %j',
    (range) => {
      expect(datesFor({ range })).toEqual({
        start_date: '2026-03-01T11:00:00.000Z',
        end_date: '2026-03-01T12:00:00.000Z',
      })
    },
  )

  it('accepts every option of the menu', () => {
    for (const { value } of QUICK_RANGES) {
      const range = rangeOf({ range: value, from: '', to: '' })
      expect('token' in range ? range.token : range.kind).toBe(value)
    }
  })

  it('prefers absolute times, which can be open at either end', () => {
    const [from, to] = ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z']
    expect(datesFor({ range: '1h', from, to })).toEqual({ start_date: from, end_date: to })
    expect(datesFor({ from })).toEqual({ start_date: from })
    expect(datesFor({ to })).toEqual({ end_date: to })
    expect(datesFor({ range: '1h', from: 'x', to })).toEqual({ end_date: to })
    expect(datesFor({ range: '24h', from: 'x' }).start_date).toBe('2026-02-28T12:00:00.000Z')
  })

  it('can be today or yesterday in the time zone of the viewer', () => {
    const midnight = new Date(NOW)
    midnight.setHours(0, 0, 0, 0)
    const before = new Date(midnight)
    before.setDate(before.getDate() - 1)
    expect(datesFor({ range: 'today' })).toEqual({
      start_date: midnight.toISOString(),
      end_date: NOW.toISOString(),
    })
    expect(datesFor({ range: 'yesterday' })).toEqual({
      start_date: before.toISOString(),
      end_date: new Date(midnight.getTime() - 1).toISOString(),
    })
  })

  it('has no dates for recently ingested logs', () => {
    expect(datesFor({ range: 'received' })).toEqual({})
  })
})

describe('a time in the query', () => {
  it.each(['time:yesterday', 'card -time:today', '(time:1h OR card)'])(
    'replaces the range: %j',
    (q) => {
      expect(datesFor({ range: '1h', q })).toEqual({})
      const from = '2026-01-01T00:00:00.000Z'
      expect(datesFor({ range: '1h', q, from })).toEqual({ start_date: from })
    },
  )

  it.each(['uptime:5', 'time: 5', '"uptime time"', 'data.time:5'])('is not in %j', (q) => {
    expect(datesFor({ range: '1h', q }).end_date).toBe(NOW.toISOString())
  })
})

describe('zooming out', () => {
  it('doubles the range around its center', () => {
    const dates = { start_date: '2026-02-01T10:00:00.000Z', end_date: '2026-02-01T12:00:00.000Z' }
    expect(zoomedOut(dates, NOW)).toEqual({
      from: '2026-02-01T09:00:00.000Z',
      to: '2026-02-01T13:00:00.000Z',
    })
  })

  it('does not extend into the future or beyond four-digit years', () => {
    const dates = { start_date: '2026-03-01T11:00:00.000Z', end_date: '2026-03-01T12:00:00.000Z' }
    expect(zoomedOut(dates, NOW)).toEqual({
      from: '2026-03-01T10:00:00.000Z',
      to: '2026-03-01T12:00:00.000Z',
    })
    const all = { start_date: '0000-01-01T00:00:00.000Z', end_date: '9999-12-31T00:00:00.000Z' }
    expect(zoomedOut(all, NOW)).toEqual({
      from: '0000-01-01T00:00:00.000Z',
      to: '9999-12-31T00:00:00.000Z',
    })
  })

  it('of a single moment shows the time around it', () => {
    const moment = '2026-02-01T10:00:00.000Z'
    expect(zoomedOut({ start_date: moment, end_date: moment }, NOW)).toEqual({
      from: '2026-02-01T09:59:59.000Z',
      to: '2026-02-01T10:00:01.000Z',
    })
  })
})

describe('fields for local times', () => {
  it('parse what they format, to the second', () => {
    for (const text of ['2026-03-01T12:34:56', '1970-01-01T00:00:00', '0987-06-05T04:03:02']) {
      expect(localText(timeOfLocal(text) ?? new Date(0))).toBe(text)
    }
    expect(timeOfLocal('')).toBeUndefined()
    expect(timeOfLocal('soon')).toBeUndefined()
  })
})
