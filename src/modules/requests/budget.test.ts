import { describe, expect, it } from 'vitest'
import { createBudget } from './budget.ts'

const ORG = 'one'
const takes = (budget: ReturnType<typeof createBudget>, refused: boolean, times: number) =>
  Array.from({ length: times }, () => budget.take(ORG, refused)).filter(Boolean).length

describe('the log entries of a second', () => {
  it('are limited, with places reserved for refused requests', () => {
    const budget = createBudget(50)
    expect(takes(budget, false, 100)).toBe(40)
    expect(takes(budget, true, 100)).toBe(10)
    expect(budget.close()).toEqual(new Map([[ORG, 150]]))
  })

  it('can all be refused requests when there are no others', () => {
    const budget = createBudget(50)
    expect(takes(budget, true, 100)).toBe(50)
    expect(takes(budget, false, 1)).toBe(0)
  })

  it('have the full limit again in the next second', () => {
    const budget = createBudget(1)
    expect([takes(budget, true, 2), takes(budget, false, 1)]).toEqual([1, 0])
    budget.close()
    expect(takes(budget, true, 2)).toBe(1)
    expect(budget.close()).toEqual(new Map([[ORG, 1]]))
    expect(budget.close()).toEqual(new Map())
  })

  it('are counted for each organization separately', () => {
    const budget = createBudget(10)
    expect(takes(budget, false, 20)).toBe(8)
    expect(budget.take('two', false)).toBe(true)
    budget.lose('two', 3)
    expect(budget.close()).toEqual(
      new Map([
        [ORG, 12],
        ['two', 3],
      ]),
    )
  })
})
