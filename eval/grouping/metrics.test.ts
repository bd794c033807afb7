import { describe, expect, it } from 'vitest'
import { scoreGroups, scoreVerdicts } from './metrics.ts'

describe('scoreGroups', () => {
  it('agrees with a result computed by hand', () => {
    // True: A = {1,2,3}, B = {4,5}, C = {6}. Predicted: x = {1,2}, y = {3}, z = {4,5}, w = {6}.
    const score = scoreGroups(['x', 'x', 'y', 'z', 'z', 'w'], ['A', 'A', 'A', 'B', 'B', 'C'])
    expect(score.ga).toBeCloseTo(3 / 6)
    expect(score.fga).toBeCloseTo((2 * 2) / (4 + 3))
    // Together in both: {1,2} and {4,5}; predicted pairs 2, true pairs 3 + 1.
    expect(score.pair_f1).toBeCloseTo((2 * 2) / (2 + 4))
    expect([score.predicted_groups, score.true_groups]).toEqual([4, 3])
  })

  it('counts no line of two labels that were merged', () => {
    const score = scoreGroups(['x', 'x', 'x', 'y'], ['A', 'A', 'B', 'C'])
    expect(score).toMatchObject({ ga: 1 / 4, fga: 2 / 5, pair_f1: (2 * 1) / (3 + 1) })
  })

  it('is one for a perfect result, with any names of the groups', () => {
    expect(scoreGroups(['1', '2', '1'], ['b', 'a', 'b'])).toMatchObject({
      ga: 1,
      fga: 1,
      pair_f1: 1,
    })
  })
})

describe('scoreVerdicts', () => {
  it('agrees with a result computed by hand', () => {
    const verdict = (is_same: boolean, predicted_same: boolean) => ({ is_same, predicted_same })
    const score = scoreVerdicts([
      verdict(true, true),
      verdict(true, true),
      verdict(true, false),
      verdict(false, true),
      verdict(false, false),
    ])
    expect(score.precision).toBeCloseTo(2 / 3)
    expect(score.recall).toBeCloseTo(2 / 3)
    expect(score.f1).toBeCloseTo(2 / 3)
  })
})
