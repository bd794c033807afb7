import { expect, it } from 'vitest'
import { EMPTY_RARITY, learnRarity, type RarityState, surpriseOf } from './rarity.ts'

const seen = (zs: number[]): RarityState =>
  zs.reduce((state, z) => learnRarity(state, z), EMPTY_RARITY)

/** Quantiles of an exponential tail beyond one deviation with one order in six. */
const orders = (mean_excess: number, count: number) =>
  Array.from({ length: count }, (_, i) =>
    i % 6 === 0 ? 1 - mean_excess * Math.log(1 - ((i * 0.618) % 1)) : ((i * 0.37) % 1) * 2 - 1,
  )

it('the same distance is rarer when orders lie close together', () => {
  const [even, uneven] = [seen(orders(0.3, 3000)), seen(orders(1, 3000))]
  expect(surpriseOf(even, 4)).toBeGreaterThan(4)
  expect(surpriseOf(uneven, 4)).toBeLessThan(2.5)
  expect(uneven.share).toBeCloseTo(1 / 6, 1)
  expect(uneven.excess).toBeCloseTo(1, 0)
})

it('surprise never falls when the distance grows', () => {
  const state = seen(orders(0.5, 500))
  const surprises = Array.from({ length: 100 }, (_, i) => surpriseOf(state, i / 5 - 5))
  expect(surprises).toEqual(surprises.toSorted((a, b) => a - b))
  expect(surprises[0]).toBe(0)
})

it('a few absurd orders hardly change what is rare', () => {
  const before = seen(orders(0.4, 2000))
  const after = Array.from({ length: 10 }, () => 1e9).reduce(
    (state, z) => learnRarity(state, z),
    before,
  )
  expect(surpriseOf(after, 4)).toBeGreaterThan(surpriseOf(before, 4) - 1)
})
