import { describe, expect, it } from 'vitest'
import { spanOf, windowOf } from './window.ts'

const NOW = new Date('2026-03-15T10:20:30.400Z')
const at = (text: string) => Date.parse(text)

describe('the window of a reading', () => {
  it('without dates covers what was received in the last days, today included', () => {
    expect(windowOf({}, NOW, 30)).toEqual({ received_since: '2026-02-13' })
  })

  it('begins and ends at the given times', () => {
    const dates = { start_date: '2026-03-01T10:00:00+02:00', end_date: '2026-03-02 11:30' }
    expect(windowOf(dates, NOW, 30)).toEqual({
      from_ms: at('2026-03-01T08:00:00Z'),
      until_ms: at('2026-03-02T11:30:00Z'),
    })
  })

  it('treats a date without a time as the whole day in UTC', () => {
    expect(windowOf({ start_date: '2026-03-01', end_date: '2026-03-01' }, NOW, 30)).toEqual({
      from_ms: at('2026-03-01T00:00:00.000Z'),
      until_ms: at('2026-03-01T23:59:59.999Z'),
    })
  })

  it('has no end if only a start is given, and a number of days if only an end is', () => {
    expect(windowOf({ start_date: '2026-03-01' }, NOW, 30)).toEqual({ from_ms: at('2026-03-01') })
    expect(windowOf({ end_date: '2026-03-03T00:00:00Z' }, NOW, 2)).toEqual({
      from_ms: at('2026-03-01'),
      until_ms: at('2026-03-03'),
    })
  })

  it('accepts a zone whose plus arrived as a space', () => {
    expect(windowOf({ start_date: '2026-03-01T10:00:00 02:00' }, NOW, 30)).toEqual({
      from_ms: at('2026-03-01T08:00:00Z'),
    })
  })

  it.each(['', 'yesterday', '2026-02-30', '2026-13-01', '12', '2026-03-01T25:00:00Z'])(
    'refuses %j and names the end at fault',
    (text) => {
      const problem = 'must be an ISO 8601 date or time, such as 2026-03-01 or 2026-03-01T12:00:00Z'
      expect(windowOf({ start_date: text }, NOW, 30)).toEqual({ field: 'start_date', problem })
      expect(windowOf({ end_date: text }, NOW, 30)).toEqual({ field: 'end_date', problem })
    },
  )

  it('refuses an end before the start', () => {
    const fault = { field: 'end_date', problem: 'must not be before start_date' }
    const dates = { start_date: '2026-03-02', end_date: '2026-03-01' }
    expect(windowOf(dates, NOW, 30)).toEqual(fault)
    expect(spanOf(dates, NOW, 1)).toEqual(fault)
  })
})

describe('a span of time', () => {
  it('without dates ends now and has the default length', () => {
    expect(spanOf({}, NOW, 5000)).toEqual({
      from_ms: NOW.getTime() - 5000,
      until_ms: NOW.getTime(),
    })
    expect(spanOf({ end_date: '2026-03-01T00:00:00Z' }, NOW, 1000)).toEqual({
      from_ms: at('2026-03-01') - 1000,
      until_ms: at('2026-03-01'),
    })
  })

  it('refuses a start in the future if it ends now', () => {
    expect(spanOf({ start_date: '2026-04-01' }, NOW, 1)).toMatchObject({ field: 'start_date' })
  })
})
