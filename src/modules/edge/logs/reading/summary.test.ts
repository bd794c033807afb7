import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../../platform/time-units.ts'
import { LEVELS } from '../level.ts'
import { bucketsIn, changeOf, overviewOf, trendsOf } from './summary.ts'

const devices = { total: 4, active: 3, with_errors: 2 }

describe('the overview', () => {
  it('lists all levels and computes the number and the rate of errors', () => {
    const overview = overviewOf({
      levels: [
        { level: 'fatal', logs: 1 },
        { level: 'info', logs: 5 },
        { level: 'error', logs: 1 },
      ],
      devices,
      error_types: 2,
      logs_24h: 3,
      logs_24h_before: 4,
    })
    expect(overview).toEqual({
      logs: {
        total: 7,
        by_level: [
          { level: 'debug', count: 0 },
          { level: 'info', count: 5 },
          { level: 'warn', count: 0 },
          { level: 'error', count: 1 },
          { level: 'fatal', count: 1 },
        ],
      },
      devices,
      errors: { total: 2, unique_types: 2, error_rate: 28.57 },
      trends: { logs_24h: 3, logs_24h_change: -25 },
    })
  })

  it('is all zero without logs', () => {
    const none = { levels: [], devices, error_types: 0, logs_24h: 0, logs_24h_before: 0 }
    const { logs, errors, trends } = overviewOf(none)
    expect([logs.total, errors.error_rate, trends.logs_24h_change]).toEqual([0, 0, 0])
  })
})

describe('a change', () => {
  it.each([
    [100, 150, 50],
    [3, 1, -66.67],
    [5, 0, -100],
    [0, 7, 100],
    [0, 0, 0],
  ])('from %d to %d is %d percent', (before, after, change) => {
    expect(changeOf(before, after)).toBe(change)
  })
})

describe('trends', () => {
  const midnight = Date.parse('2026-03-01T00:00:00Z')

  it('have every bucket from the first to the last', () => {
    const span = { from_ms: midnight + 5, until_ms: midnight + 2 * HOUR_MS }
    const counts = [
      { bucket_ms: midnight + HOUR_MS, level: 'warn' as const, logs: 2 },
      { bucket_ms: midnight + HOUR_MS, level: 'info' as const, logs: 3 },
    ]
    const points = trendsOf(counts, span, HOUR_MS)
    expect(points.map(({ timestamp, total }) => [timestamp, total])).toEqual([
      ['2026-03-01T00:00:00.000Z', 0],
      ['2026-03-01T01:00:00.000Z', 5],
      ['2026-03-01T02:00:00.000Z', 0],
    ])
    expect(points[1]?.by_level).toEqual(
      LEVELS.map((level) => ({ level, count: { info: 3, warn: 2 }[level as string] ?? 0 })),
    )
  })

  it('have the number of buckets that bucketsIn returns, also before 1970', () => {
    for (const from_ms of [midnight, midnight + 1, -1, -DAY_MS, -DAY_MS - 1]) {
      const span = { from_ms, until_ms: from_ms + DAY_MS }
      const points = trendsOf([], span, DAY_MS)
      expect(points).toHaveLength(bucketsIn(span, DAY_MS))
      expect(Date.parse(points[0]?.timestamp ?? '')).toBeLessThanOrEqual(from_ms)
    }
  })
})
