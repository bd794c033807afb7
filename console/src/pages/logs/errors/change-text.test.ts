import { describe, expect, it } from 'vitest'
import { changeText } from './change-text.ts'

describe('the change from the time before', () => {
  it.each([
    [0, 0, 'None in either'],
    [0, 3, '3, none before'],
    [3, 3, '3, as many as before'],
    [8, 12, '12, 50% more than 8 before'],
    [8, 2, '2, 75% fewer than 8 before'],
  ])('from %i to %i is described', (before, count, text) => {
    expect(changeText(before, count)).toBe(text)
  })
})
