import { describe, expect, it } from 'vitest'
import { median, summarise, summariseQueries } from './statistics.ts'

describe('statistics of the benchmarks', () => {
  it('takes the middle of an odd number of values and between the two of an even one', () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([4, 1, 2, 3])).toBe(2.5)
  })

  it('reports latencies that were measured, whatever their order', () => {
    const latencies = Array.from({ length: 200 }, (_, index) => ((index * 77) % 200) + 1)
    expect(summarise(latencies)).toEqual({ p50_ms: 100, p99_ms: 198, max_ms: 200 })
  })

  it('reports of a few dozen latencies no further out than the 95th percentile', () => {
    const latencies = Array.from({ length: 20 }, (_, index) => ((index * 7) % 20) + 1)
    expect(summariseQueries(latencies)).toEqual({ p50_ms: 10, p95_ms: 19, max_ms: 20 })
  })

  it('says of no values that there is no median', () => {
    expect(median([])).toBeNaN()
  })
})
