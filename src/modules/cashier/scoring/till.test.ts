import { describe, expect, it } from 'vitest'
import { CASHIER_PARAMETERS } from './parameters.ts'
import { addToTill, emptyTill, moveTill, roleAt } from './till.ts'

const NOW = Date.UTC(2026, 2, 1)
const RULES = CASHIER_PARAMETERS.desk
const DAY = 86_400_000

describe('a till', () => {
  it('at which others refund much is a service desk, even for a new cashier', () => {
    const till = addToTill(emptyTill(NOW), 'ann', NOW, { sales: 30, refunds: 20 })
    expect(roleAt(till, 'bob', NOW, RULES)).toBe('desk')
    expect(roleAt(undefined, 'bob', NOW, RULES)).toBe('till')
  })

  it('never becomes one by the refunds of the cashier in question', () => {
    let till = emptyTill(NOW)
    for (let day = 0; day < 60; day += 1) {
      till = addToTill(till, 'thief', NOW + day * DAY, { sales: 10, refunds: 90 })
      till = addToTill(till, 'ann', NOW + day * DAY, { sales: 100, refunds: 1 })
    }
    expect(roleAt(till, 'thief', NOW + 60 * DAY, RULES)).toBe('till')
  })

  it('stops being one when its use changes', () => {
    let till = addToTill(emptyTill(NOW), 'ann', NOW, { sales: 30, refunds: 20 })
    till = addToTill(till, 'bob', NOW + 120 * DAY, { sales: 400, refunds: 2 })
    expect(roleAt(till, 'carl', NOW + 120 * DAY, RULES)).toBe('till')
  })

  it('stores a bounded number of cashiers', () => {
    let till = emptyTill(NOW)
    for (let index = 0; index < 500; index += 1) {
      till = addToTill(till, `cashier ${index}`, NOW + index, { sales: 1, refunds: 0 })
    }
    expect(till.members.length).toBeLessThanOrEqual(12)
    expect(till.members.some(({ id }) => id === 'cashier 499')).toBe(true)
  })

  it('has the location of the latest order, not of one that arrives late', () => {
    const till = moveTill(emptyTill(NOW), 'location a', NOW)
    expect(moveTill(till, 'location b', NOW - DAY)).toBe(till)
    expect(moveTill(till, 'location b', NOW + DAY).location).toBe('location b')
  })
})
