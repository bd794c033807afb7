import { describe, expect, it } from 'vitest'
import { moved } from './order.ts'

describe('a panel', () => {
  it.each([
    [1, -1, ['b', 'a', 'c']],
    [1, 1, ['a', 'c', 'b']],
    [0, -1, ['a', 'b', 'c']],
    [2, 1, ['a', 'b', 'c']],
    [3, 1, ['a', 'b', 'c']],
  ] as const)('at %i moves by %i', (at, by, order) => {
    expect(moved(['a', 'b', 'c'], at, by)).toEqual(order)
  })
})
