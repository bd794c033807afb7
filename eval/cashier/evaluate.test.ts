import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/platform/random.ts'
import { createDay, seasonOf } from './day.ts'
import { evaluateSeeds } from './evaluate.ts'
import { createFold } from './fold.ts'
import { createStores } from './world.ts'

const play = (seed: number, days: number, firstTheftDay: number) => {
  const random = createRandom(seed, 'cashier')
  const fold = createFold()
  const said: object[] = []
  const stores = createStores(random, 2, firstTheftDay)
  for (let day = 0; day < days; day += 1) {
    for (const store of stores) {
      for (const event of createDay(random.fork(store.name), store, day, seasonOf(day)).events) {
        const scored = fold.apply(event)
        if (scored) said.push(scored.fraud)
      }
    }
  }
  return said
}

describe('the simulated shops', () => {
  it('are the same for the same seed, and others for another', () => {
    expect(play(1, 2, 100)).toEqual(play(1, 2, 100))
    expect(JSON.stringify(play(1, 2, 100))).not.toBe(JSON.stringify(play(2, 2, 100)))
  })

  it('have one thief in nine shops of ten, each kind of theft at each intensity', () => {
    const stores = createStores(createRandom(3, 'cashier'), 40, 28)
    const thefts = stores.flatMap(({ cashiers }) =>
      cashiers.flatMap(({ theft }) => (theft ? [`${theft.kind} ${theft.times}`] : [])),
    )
    expect(thefts).toHaveLength(36)
    expect(new Set(thefts).size).toBe(12)
  })
})

it('in a small world, fourfold thefts are found within a month and few honest shifts flagged', () => {
  const { thefts, honest } = evaluateSeeds([5], { stores: 13, days: 60 }, () => {})
  const fourfold = thefts.filter(({ times, thieves }) => times === 4 && thieves > 0)
  expect(fourfold.length).toBeGreaterThan(2)
  for (const each of fourfold) expect(each).toMatchObject({ within_30_days: 1 })
  expect(honest.shifts).toBeGreaterThan(1000)
  expect(honest.flagged_shifts_per_1000).toBeLessThan(15)
}, 120_000)
