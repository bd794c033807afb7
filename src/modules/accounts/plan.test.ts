import { expect, it } from 'vitest'
import { PLANS } from '../../platform/postgres/tables/accounts.ts'
import { hasPlan } from './plan.ts'

it('orders the plans free, starter, business', () => {
  const table = PLANS.map((plan) => PLANS.map((least) => hasPlan(plan, least)))
  expect(table).toEqual([
    [true, false, false],
    [true, true, false],
    [true, true, true],
  ])
})
