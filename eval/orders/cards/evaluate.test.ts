import { describe, expect, it } from 'vitest'
import { DEFAULT_ORDER_PARAMETERS } from '../../../src/modules/orders/scoring/parameters.ts'
import { evaluateCards } from './evaluate.ts'
import { printCards } from './report.ts'
import { QUICK_SIZE } from './world.ts'

const size = { ...QUICK_SIZE, customers: 100, terminals: 200, side: 14.1, days: 165 }

describe('the evaluation of card transactions', () => {
  const result = evaluateCards({
    seeds: [1],
    size,
    parameters: DEFAULT_ORDER_PARAMETERS,
    onProgress: () => {},
  })

  it('judges five weeks for each kind of feedback', () => {
    expect(result.seeds[0]?.runs.map(({ feedback, weeks }) => [feedback, weeks.length])).toEqual([
      ['none', 5],
      ['every_order', 5],
      ['frauds_only', 5],
    ])
  })

  it('decides every order, only frauds, or nothing', () => {
    const [none, every, frauds] = result.seeds[0]?.runs.map(({ decisions }) => decisions) ?? []
    expect(none).toBe(0)
    expect(every).toBeGreaterThan(10_000)
    expect(frauds).toBeGreaterThan(10)
    expect(frauds).toBeLessThan(every ?? 0)
  })

  it('ranks large amounts above ordinary ones', () => {
    expect(result.mean[0]?.probability.without_2.auc_roc).toBeGreaterThan(0.7)
  })

  it('prints every week and the published results', () => {
    const text = printCards(result)
    expect(text.match(/week 2018-/g)).toHaveLength(15)
    expect(text).toContain('B gradient boosting')
  })
})
