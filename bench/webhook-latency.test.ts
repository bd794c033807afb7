import { describe, expect, it } from 'vitest'
import { latencyOf } from './webhook-latency.ts'

describe('the latency of deliveries', () => {
  it('is from the commit to the first arrival, of the asked events alone', () => {
    const committed = new Map([
      ['a', 1000],
      ['b', 1010.5],
    ])
    const latency = latencyOf(committed, [
      ['of another', 900],
      ['b', 1012],
      ['a', 1004],
      ['a', 1900],
    ])
    expect(latency).toEqual({ count: 2, p50_ms: 1.5, p99_ms: 4, max_ms: 4 })
  })

  it('is not told when an event is missing', () => {
    expect(() => latencyOf(new Map([['a', 1]]), [['b', 2]])).toThrow('the event a has not arrived')
  })
})
