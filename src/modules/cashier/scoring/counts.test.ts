import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addCounts, type Counts, emptyCounts, HALF_LIVES_MS, INDEX, leftOf } from './counts.ts'

const NOW = 1_700_000_000_000
const HOUR = 3_600_000
const DAY = 24 * HOUR

const read = (counts: Counts, now: number) =>
  (counts.month[INDEX.void] ?? 0) * leftOf(counts.at, now, 'month').one

describe('decayed counts', () => {
  it('approximate the sum over all events, in any order of arrival', () => {
    const times = fc.array(fc.integer({ min: 0, max: 60 * DAY }), { minLength: 1, maxLength: 80 })
    fc.assert(
      fc.property(times, (offsets) => {
        let counts = emptyCounts(NOW + (offsets[0] ?? 0))
        for (const offset of offsets) counts = addCounts(counts, NOW + offset, [['void', 1]])
        const end = NOW + 61 * DAY
        const exact = offsets.reduce(
          (sum, offset) => sum + 2 ** (-(end - NOW - offset) / HALF_LIVES_MS.month),
          0,
        )
        expect(read(counts, end)).toBeCloseTo(exact, 1)
      }),
    )
  })

  it('decay even if an event is counted every few seconds', () => {
    let counts = addCounts(emptyCounts(NOW), NOW, [['void', 3]])
    for (let second = 0; second < 2 * 86_400; second += 10) {
      counts = addCounts(counts, NOW + second * 1000, [['sale', 1]])
    }
    expect(read(counts, NOW + 2 * DAY)).toBeCloseTo(3 * 2 ** (-2 / 30), 2)
  })

  it('are below three after only two actions', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 * HOUR }), (later) => {
        let counts = addCounts(emptyCounts(NOW), NOW, [['void', 1]])
        counts = addCounts(counts, NOW + later, [['void', 1]])
        expect(read(counts, NOW + later)).toBeLessThanOrEqual(2)
      }),
    )
  })
})
