import { describe, expect, it } from 'vitest'
import { latencyOf, median } from './statistics.ts'

describe('statistics of the benchmarks', () => {
  it('takes the middle of an odd number of values and the mean of the two in the middle of an even one', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([4, 1, 2, 3])).toBe(2.5)
  })

  it('reports latencies that were measured, in any order', () => {
    const latencies = Array.from({ length: 200 }, (_, index) => ((index * 77) % 200) + 1)
    expect(latencyOf(latencies)).toEqual({ p50_ms: 100, p99_ms: 198 })
  })

  it('has no median of an empty list', () => {
    expect(median([])).toBeNaN()
  })
})
