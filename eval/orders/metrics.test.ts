import { describe, expect, it } from 'vitest'
import {
  atThreshold,
  aucRoc,
  averagePrecision,
  type CardDay,
  cardPrecision,
  type Judged,
  mean,
  thresholdForRate,
} from './metrics.ts'

/** `1` is a fraud, `0` is honest. */
const judged = (...pairs: [score: number, label: 0 | 1][]): Judged[] =>
  pairs.map(([score, label]) => ({ score, is_fraud: label === 1 }))

/** Highest first: fraud, honest, fraud, honest, honest. */
const MIXED = judged([0.9, 1], [0.8, 0], [0.7, 1], [0.6, 0], [0.1, 0])

describe('area under the ROC curve', () => {
  it('is the share of pairs in the right order', () => {
    // The first fraud beats 3 of 3, the second 2 of 3.
    expect(aucRoc(MIXED)).toBeCloseTo(5 / 6, 12)
  })

  it('counts equal scores half', () => {
    expect(aucRoc(judged([0.5, 1], [0.5, 0]))).toBe(0.5)
    // Pairs: (1, .5) and (1, 0) won; (.5, .5) half; (.5, 0) won.
    expect(aucRoc(judged([1, 1], [0.5, 1], [0.5, 0], [0, 0]))).toBeCloseTo(3.5 / 4, 12)
  })

  it('does not depend on the order of the rows', () => {
    const rows = judged([0.5, 0], [0.5, 1], [0.2, 1], [0.2, 0], [0.2, 0])
    expect(aucRoc(rows)).toBe(aucRoc(rows.toReversed()))
  })

  it('is not a number when one kind is missing', () => {
    expect(aucRoc(judged([1, 1]))).toBeNaN()
  })
})

describe('average precision', () => {
  it('is the mean of the precision at each fraud', () => {
    expect(averagePrecision(MIXED)).toBeCloseTo((1 / 1 + 2 / 3) / 2, 12)
  })

  it('takes equal scores as one step, in any order', () => {
    // One step at .5 with 1 fraud among 2, then nothing.
    expect(averagePrecision(judged([0.5, 1], [0.5, 0]))).toBe(0.5)
    expect(averagePrecision(judged([0.5, 0], [0.5, 1]))).toBe(0.5)
    // Steps: precision 1 gains 1/3 of recall; 3 of 4 gain the other 2/3.
    const rows = judged([0.9, 1], [0.4, 0], [0.4, 1], [0.4, 1], [0.1, 0])
    expect(averagePrecision(rows)).toBeCloseTo(1 / 3 + (2 / 3) * (3 / 4), 12)
  })
})

describe('a threshold', () => {
  it('gives precision, recall and the share of alerts, itself included', () => {
    expect(atThreshold(MIXED, 0.7)).toEqual({ precision: 2 / 3, recall: 1, alert_rate: 3 / 5 })
  })

  it('is chosen so that at most the share reaches it', () => {
    const scores = Array.from({ length: 1_000 }, (_, index) => index)
    expect(thresholdForRate(scores, 0.005)).toBe(995)
    // Six equals at the top do not fit into five.
    expect(thresholdForRate([...scores.slice(0, 994), 999, 999, 999, 999, 999, 999], 0.005)).toBe(
      Infinity,
    )
    expect(thresholdForRate([3, 2, 2, 1], 0.5)).toBe(3)
  })
})

describe('card precision', () => {
  const row = (day: number, card: number, score: number, label: 0 | 1): CardDay => ({
    day,
    card,
    score,
    is_fraud: label === 1,
  })

  it('counts each card once a day, with its highest score and any of its frauds', () => {
    const day = [row(1, 1, 0.1, 1), row(1, 1, 0.9, 0), row(1, 2, 0.8, 0), row(1, 3, 0.2, 1)]
    // Cards 1 and 2 are inspected; card 1 has a fraud.
    expect(cardPrecision(day, 2)).toBe(1 / 2)
  })

  it('leaves out cards that were found on an earlier day, and takes the mean of the days', () => {
    const rows = [
      row(1, 1, 0.9, 1),
      row(1, 2, 0.1, 1),
      row(2, 1, 0.9, 1),
      row(2, 2, 0.5, 1),
      row(2, 3, 0.1, 0),
    ]
    // Day 1 finds card 1, which is left out on day 2, so card 2 is found.
    expect(cardPrecision(rows, 1)).toBe(1)
    expect(cardPrecision([...rows, row(3, 3, 0.1, 0)], 1)).toBeCloseTo(2 / 3, 12)
  })

  it('is shared by k even when there are fewer cards', () => {
    expect(cardPrecision([row(1, 1, 0.9, 1)], 100)).toBe(1 / 100)
  })

  it('favors neither side among equal scores, and no order of rows', () => {
    const rows = Array.from({ length: 2_000 }, (_, card) => row(1, card, 0.5, card < 1_000 ? 1 : 0))
    const precision = cardPrecision(rows, 1_000)
    expect(precision).toBeCloseTo(0.5, 1)
    expect(cardPrecision(rows.toReversed(), 1_000)).toBe(precision)
  })
})

it('the mean leaves out values that are not a number', () => {
  expect(mean([1, NaN, 3])).toBe(2)
})
