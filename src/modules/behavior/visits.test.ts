import { describe, expect, it } from 'vitest'
import { faded, type Visits, visit, visitWeight, weightOf } from './visits.ts'

const HALF_LIFE = 1000

describe('visitWeight', () => {
  it('is 1 at the origin, doubles with each half-life after it and halves before it', () => {
    expect(visitWeight(5000, 5000, HALF_LIFE)).toBe(1)
    expect(visitWeight(6000, 5000, HALF_LIFE)).toBeCloseTo(2)
    expect(visitWeight(4000, 5000, HALF_LIFE)).toBeCloseTo(0.5)
  })

  it('does not depend on the order of visits', () => {
    const times = [5000, 9000, 2000, 7000]
    const total = (order: number[]): number => {
      let visits: Visits<string> = []
      for (const at of order) visits = visit(visits, 'a', visitWeight(at, 5000, HALF_LIFE), 4)
      return weightOf(visits, 'a')
    }
    expect(total(times)).toBeCloseTo(total(times.toReversed()), 1)
  })
})

describe('visit', () => {
  it('adds to a key without modifying the list', () => {
    const before: Visits<string> = Object.freeze([Object.freeze(['a', 1] as const)])
    expect(visit(before, 'a', 2, 4)).toEqual([['a', 3]])
    expect(visit(before, 'b', 2, 4)).toEqual([
      ['a', 1],
      ['b', 2],
    ])
    expect(before).toEqual([['a', 1]])
  })

  it('replaces the key with the lowest weight', () => {
    const full: Visits<string> = [
      ['a', 3],
      ['b', 1],
      ['c', 2],
    ]
    expect(visit(full, 'd', 1, 3)).toEqual([
      ['a', 3],
      ['d', 1],
      ['c', 2],
    ])
  })
})

it('faded keys are dropped', () => {
  const visits: Visits<string> = [
    ['a', 8],
    ['b', 0.01],
  ]
  expect(faded(visits, 0.5)).toEqual([['a', 4]])
})
