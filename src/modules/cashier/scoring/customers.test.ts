import { expect, it } from 'vitest'
import { addCustomer, EMPTY_CUSTOMERS, topCustomer } from './customers.ts'

const DAY = 86_400_000
const NOW = 1_700_000_000_000

it('finds one frequent customer among hundreds, and none when all are different', () => {
  let favoured = EMPTY_CUSTOMERS
  let even = EMPTY_CUSTOMERS
  for (let index = 0; index < 300; index += 1) {
    const at = NOW + index * 1000
    favoured = addCustomer(favoured, index % 3 === 0 ? 'friend' : `c${index}`, at, 30 * DAY)
    even = addCustomer(even, `c${index}`, at, 30 * DAY)
  }
  expect(topCustomer(favoured).count).toBeGreaterThan(90)
  expect(topCustomer(even).count).toBeLessThanOrEqual(1.01)
  expect(topCustomer(even).total).toBeCloseTo(300, 0)
})

it('decays with time, and counts late events with their decayed weight', () => {
  let state = addCustomer(EMPTY_CUSTOMERS, 'a', NOW, 30 * DAY)
  state = addCustomer(state, 'a', NOW + 30 * DAY, 30 * DAY)
  expect(topCustomer(state).count).toBeCloseTo(1.5, 3)
  expect(topCustomer(addCustomer(state, 'a', NOW, 30 * DAY)).count).toBeCloseTo(2, 3)
})
