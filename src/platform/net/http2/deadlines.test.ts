import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDeadlines } from './deadlines.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function setUp() {
  const over: string[] = []
  const deadlines = createDeadlines<string>((item) => void over.push(item))
  return { over, deadlines }
}

describe('deadlines', () => {
  it('end each item at its own, in whatever order they were added', () => {
    const { over, deadlines } = setUp()
    deadlines.add('late', 300)
    deadlines.add('early', 100)
    deadlines.add('middle', 200.5)
    vi.advanceTimersByTime(99)
    expect(over).toEqual([])
    vi.advanceTimersByTime(1)
    expect(over).toEqual(['early'])
    vi.advanceTimersByTime(101)
    expect(over).toEqual(['early', 'middle'])
    vi.advanceTimersByTime(10_000)
    expect(over).toEqual(['early', 'middle', 'late'])
  })

  it('leave alone what was removed, and have no timer once nothing is left', () => {
    const { over, deadlines } = setUp()
    deadlines.add('a', 100)
    deadlines.add('b', 200)
    deadlines.remove('a')
    deadlines.remove('a')
    expect(vi.getTimerCount()).toBe(1)
    deadlines.remove('b')
    expect(vi.getTimerCount()).toBe(0)
    deadlines.add('c', 50)
    vi.advanceTimersByTime(1000)
    expect(over).toEqual(['c'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('have one timer for thousands', () => {
    const { over, deadlines } = setUp()
    for (let index = 0; index < 5000; index += 1) deadlines.add(`${index}`, 1000 + index)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(1010)
    expect(over).toHaveLength(11)
    expect(vi.getTimerCount()).toBe(1)
  })

  it('can be given something new while they end what is over', () => {
    const over: string[] = []
    const deadlines = createDeadlines<string>((item) => {
      over.push(item)
      if (item === 'a') deadlines.add('b', 100)
      deadlines.remove('never')
    })
    deadlines.add('a', 100)
    deadlines.add('never', 100)
    vi.advanceTimersByTime(100)
    expect(over).toEqual(['a'])
    vi.advanceTimersByTime(100)
    expect(over).toEqual(['a', 'b'])
  })
})
