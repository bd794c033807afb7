import { describe, expect, it } from 'vitest'
import { createRandom } from '../../src/platform/random.ts'
import { storeDay } from '../../world/shifts.ts'
import { DAY_MS } from '../../world/time.ts'
import { evaluateSeeds } from './evaluate.ts'
import { actionFacts, saleFacts } from './facts.ts'
import { createFold } from './fold.ts'
import { createCashierChain, FIRST_DAY_MS } from './stores.ts'

const play = (seed: number, days: number) => {
  const random = createRandom(seed, 'cashier')
  const chain = createCashierChain(random, { stores: 2, thefts_from_day: 100 })
  const fold = createFold()
  const scores: object[] = []
  for (let day = 0; day < days; day += 1) {
    for (const store of chain.stores) {
      const events = storeDay(chain, store, FIRST_DAY_MS + day * DAY_MS)
      for (const event of events.toSorted((a, b) => a.at - b.at)) {
        if (event.type === 'action') scores.push(fold.act(actionFacts(event), event.at).fraud)
        else if (event.sold?.shift) fold.sell(saleFacts(event, event.sold.shift), event.at)
      }
    }
  }
  return scores
}

describe('the simulated stores', () => {
  it('are the same for the same seed, and differ for another', () => {
    expect(play(1, 2)).toEqual(play(1, 2))
    expect(JSON.stringify(play(1, 2))).not.toBe(JSON.stringify(play(2, 2)))
  })

  it('have one thief in nine of ten stores, with each kind of theft at each intensity', () => {
    const { stores } = createCashierChain(createRandom(3, 'cashier'), {
      stores: 40,
      thefts_from_day: 28,
    })
    const thefts = stores.flatMap(({ cashiers }) =>
      cashiers.flatMap(({ theft }) => (theft ? [`${theft.kind} ${theft.times}`] : [])),
    )
    expect(thefts).toHaveLength(36)
    expect(new Set(thefts).size).toBe(12)
  })
})

it('in a small world, fourfold thefts are found within a month, and few honest shifts are flagged', () => {
  const { thefts, honest } = evaluateSeeds([5], { stores: 13, days: 48 }, () => {})
  const fourfold = thefts.filter(({ times, thieves }) => times === 4 && thieves > 0)
  expect(fourfold.length).toBeGreaterThan(2)
  for (const each of fourfold) expect(each).toMatchObject({ within_30_days: 1 })
  expect(honest.shifts).toBeGreaterThan(1000)
  expect(honest.flagged_shifts_per_1000).toBeLessThan(15)
}, 120_000)
