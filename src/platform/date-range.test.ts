import { describe, expect, it } from 'vitest'
import { timesOf } from './date-range.ts'

const at = Date.parse

describe('a date range', () => {
  it('is bounded by days or times, the end included', () => {
    expect(timesOf({ start_date: '2026-03-01', end_date: '2026-03-01' })).toEqual({
      start_ms: at('2026-03-01T00:00:00Z'),
      end_ms: at('2026-03-01T23:59:59.999Z'),
    })
    expect(timesOf({ start_date: '2026-03-01T10:00:00+02:00' })).toEqual({
      start_ms: at('2026-03-01T08:00:00Z'),
      end_ms: undefined,
    })
    expect(timesOf({})).toEqual({ start_ms: undefined, end_ms: undefined })
  })

  it('accepts a zone whose plus became a space in a URL', () => {
    expect(timesOf({ end_date: '2026-03-01T10:00:00 02:00' })).toMatchObject({
      end_ms: at('2026-03-01T08:00:00Z'),
    })
  })

  it.each([
    [{ start_date: 'yesterday' }, 'start_date'],
    [{ end_date: '2026-02-30' }, 'end_date'],
    [{ start_date: '2026-03-02', end_date: '2026-03-01' }, 'end_date'],
  ])('reports for %j a fault of %s', (dates, field) => {
    expect(timesOf(dates)).toMatchObject({ field })
  })
})
