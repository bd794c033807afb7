import { describe, expect, it } from 'vitest'
import { createByteBudget } from './byte-budget.ts'

describe('a budget of bytes', () => {
  it('gives one caller at most half, so that others always have the rest', () => {
    const budget = createByteBudget(100)
    const leases = Array.from({ length: 6 }, () => budget.lease('a'))
    expect(leases.map((lease) => lease.growTo(10))).toEqual([true, true, true, true, true, false])
    const other = budget.lease('b')
    expect(other.growTo(50)).toBe(true)
    expect(budget.lease('c').growTo(1)).toBe(false)
    other.release()
    expect(budget.lease('c').growTo(1)).toBe(true)
  })

  it('counts what a body needs in all, and nothing twice', () => {
    const budget = createByteBudget(100)
    const lease = budget.lease('a')
    const second = budget.lease('a')
    expect([lease.growTo(20), lease.growTo(30), lease.growTo(10)]).toEqual([true, true, true])
    expect([second.growTo(21), second.growTo(20)]).toEqual([false, true])
    lease.release()
    lease.release()
    expect(second.growTo(50)).toBe(true)
  })

  it('has room for one body of any size', () => {
    const budget = createByteBudget(100)
    const large = budget.lease('a')
    expect(large.growTo(1000)).toBe(true)
    expect(budget.lease('b').growTo(1)).toBe(false)
    large.release()
    expect(budget.lease('b').growTo(1)).toBe(true)
  })

  it('reserves nothing for a request that has ended', () => {
    const budget = createByteBudget(100)
    const ended = budget.lease('a')
    ended.release()
    ended.growTo(100)
    expect(budget.lease('b').growTo(100)).toBe(true)
  })
})
