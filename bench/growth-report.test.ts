import { describe, expect, it } from 'vitest'
import { costAim, type GrowthRun, growthLines, growthRows } from './growth-report.ts'

const run = (round: number, past_orders: number, per_second: number): GrowthRun => ({
  round,
  past_orders,
  callers: 32,
  per_second,
  flagged: past_orders === 10 ? 1 : 0,
  orders: 50,
})

const SIZES = [
  { past_orders: 10, state_chars: 900 },
  { past_orders: 1000, state_chars: 1000 },
]

describe('growth of the cost of an order', () => {
  it('compares runs of the same round and takes the median', () => {
    const first = [run(0, 10, 1000), run(0, 1000, 500)]
    const second = [run(1, 1000, 100), run(1, 10, 100)]
    const third = [run(2, 10, 300), run(2, 1000, 250)]
    const runs = [...first, ...second, ...third]
    const [few, many] = growthRows(runs, SIZES)
    expect(few).toMatchObject({ past_orders: 10, state_chars: 900, flagged_share: 0.02 })
    expect(few?.by_callers).toMatchObject([{ callers: 32, per_second: 300, cost_ratio: 1 }])
    expect(many?.by_callers).toMatchObject([
      { callers: 32, per_second: 250, cost_ratio: 1.2, cost_ratio_each: [2, 1, 1.2] },
    ])
    expect(many?.flagged_share).toBe(0)
  })

  it('misses its aim by the most expensive of the profiles', () => {
    const rows = (cost: number) => growthRows([run(0, 10, 1000), run(0, 1000, 1000 / cost)], SIZES)
    expect(costAim(rows(1.1))[0]).toContain('met')
    expect(costAim(rows(1.2))[0]).toMatch(/MISSED.*1\.20 times/)
  })

  it('is printed with a line per profile', () => {
    const lines = growthLines(growthRows([run(0, 10, 1000), run(0, 1000, 500)], SIZES))
    expect(lines.join('\n').split('\n')).toHaveLength(4)
    expect(costAim([])).toEqual([])
  })
})
