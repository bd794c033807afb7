import { expect, it } from 'vitest'
import { hasPlan } from './plan.ts'
import { PLANS } from './tables.ts'

it('orders the plans free, starter, business', () => {
  const table = PLANS.map((plan) => PLANS.map((least) => hasPlan(plan, least)))
  expect(table).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ])
})
