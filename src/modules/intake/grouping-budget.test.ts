import { describe, expect, it } from 'vitest'
import { groupError } from '../error-groups/index.ts'
import { createGroupingBudget } from './grouping-budget.ts'

/** Costs 64 characters, 36 of the message, and 100 of the stack. */
const ERROR = { message: 'm'.repeat(36), stack: `Error\n${' '.repeat(94)}` }
const COST = 200

/** Returns the number of errors of a batch that were grouped on receipt. */
function groupedOf(budget: ReturnType<typeof createGroupingBudget>, orgId: string, errors: number) {
  const group = budget.forBatch(orgId)
  return Array.from({ length: errors }, () => group(ERROR)).filter((one) => one !== undefined)
    .length
}

describe('the budget for grouping errors on receipt', () => {
  it('is that of an organization for a second, over all of its batches', () => {
    let nowMs = 5000
    const budget = createGroupingBudget({ chars_per_second: 10 * COST, nowMs: () => nowMs })
    expect(groupedOf(budget, 'a', 7)).toBe(7)
    expect(groupedOf(budget, 'a', 7)).toBe(3)
    expect(groupedOf(budget, 'a', 1)).toBe(0)
    expect(groupedOf(budget, 'b', 20)).toBe(10)
    nowMs = 5999
    expect(groupedOf(budget, 'a', 1)).toBe(0)
    nowMs = 6000
    expect(groupedOf(budget, 'a', 20)).toBe(10)
  })

  it('is the most that a batch gets, however long it takes', () => {
    let nowMs = 0
    const budget = createGroupingBudget({ chars_per_second: 2 * COST, nowMs: () => nowMs })
    const group = budget.forBatch('a')
    const groupLater = () => {
      nowMs += 700
      return group(ERROR)
    }
    const { fingerprint } = groupError(ERROR)
    const results = [groupLater(), groupLater(), groupLater(), groupLater()]
    expect(results).toEqual([fingerprint, fingerprint, undefined, undefined])
    expect(budget.forBatch('a')(ERROR)).toBe(fingerprint)
  })

  it('counts only what is read of long texts, and a message in place of the stack', () => {
    const limit = 64 + 1024 + 16_384
    const budget = createGroupingBudget({ chars_per_second: limit, nowMs: () => 0 })
    const long = 'x'.repeat(60_000)
    expect(budget.forBatch('stack')({ message: long, stack: long })).toBeDefined()
    expect(budget.forBatch('message')({ message: long })).toBeDefined()
    expect(budget.forBatch('stack')({ message: '' })).toBeUndefined()
    expect(budget.forBatch('message')({ message: '' })).toBeUndefined()
  })
})
