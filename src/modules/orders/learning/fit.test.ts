import { describe, expect, it } from 'vitest'
import { createRandom } from '../../../platform/random.ts'
import { type Example, fitLogistic } from './fit.ts'

const FLAT = { mean: 0, precision: 0 }
const WEAK = { mean: 0, precision: 0.01 }

/** Orders with a known logarithm of the odds. */
function simulated(count: number, coefficients: readonly number[]): Example[] {
  const random = createRandom(3, 'logistic')
  return Array.from({ length: count }, () => {
    const values = [1, ...coefficients.slice(1).map(() => random.normal(0, 1))]
    const odds = values.reduce((sum, value, i) => sum + value * (coefficients[i] ?? 0), 0)
    return { values, is_fraud: random.chance(1 / (1 + Math.exp(-odds))), weight: 1 }
  })
}

describe('the logistic regression', () => {
  it('is the logarithm of the odds for a constant', () => {
    const some = (is_fraud: boolean, weight: number): Example => ({ values: [1], is_fraud, weight })
    const [constant = 0] = fitLogistic([some(true, 3), some(false, 9)], [FLAT]) ?? []
    expect(constant).toBeCloseTo(Math.log(3 / 9), 10)
  })

  it('is the published solution of a known data set', () => {
    // Hours of study and exams passed; coefficients of the article "Logistic regression", Wikipedia.
    const hours = [
      0.5, 0.75, 1, 1.25, 1.5, 1.75, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 4, 4.25, 4.5, 4.75, 5,
      5.5,
    ]
    const passed = [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1]
    const examples = hours.map((hour, i) => ({
      values: [1, hour],
      is_fraud: passed[i] === 1,
      weight: 1,
    }))
    const [constant = 0, slope = 0] = fitLogistic(examples, [FLAT, FLAT]) ?? []
    expect(constant).toBeCloseTo(-4.0777, 3)
    expect(slope).toBeCloseTo(1.5046, 3)
  })

  it('finds the coefficients of simulated orders', () => {
    const truth = [-2, 1.5, 0, -0.7]
    const fitted =
      fitLogistic(
        simulated(20_000, truth),
        truth.map(() => FLAT),
      ) ?? []
    for (const [i, value] of truth.entries()) expect(fitted[i]).toBeCloseTo(value, 0)
  })

  it('counts an example as often as its weight', () => {
    const examples = simulated(300, [-1, 1])
    const twice = fitLogistic([...examples, ...examples], [FLAT, FLAT])
    const weighted = fitLogistic(
      examples.map((one) => ({ ...one, weight: 2 })),
      [FLAT, FLAT],
    )
    for (const [i, value] of (twice ?? []).entries()) expect(weighted?.[i]).toBeCloseTo(value, 8)
  })

  it('stays finite when the classes are separable or one is missing', () => {
    const at = (value: number, is_fraud: boolean): Example => ({
      values: [1, value],
      is_fraud,
      weight: 1,
    })
    const separable = [at(-2, false), at(-1, false), at(1, true), at(2, true)]
    const one_class = [at(0, false), at(1, false)]
    for (const examples of [separable, one_class, []]) {
      const fitted = fitLogistic(examples, [WEAK, WEAK]) ?? []
      expect(fitted).toHaveLength(2)
      for (const value of fitted) expect(Math.abs(value)).toBeLessThan(100)
    }
  })

  it('leaves the coefficient of a constant zero at its prior', () => {
    const examples = simulated(500, [-1, 1]).map((one) => ({ ...one, values: [...one.values, 0] }))
    expect(fitLogistic(examples, [FLAT, FLAT, { mean: 2, precision: 1 }])?.[2]).toBe(2)
    expect(fitLogistic(examples, [FLAT, FLAT, FLAT])).toBeUndefined()
  })

  it('is the same for the same examples', () => {
    const examples = simulated(500, [-1, 1, 0.5])
    const priors = [FLAT, WEAK, WEAK]
    expect(fitLogistic(examples, priors)).toEqual(fitLogistic(examples, priors))
  })
})
