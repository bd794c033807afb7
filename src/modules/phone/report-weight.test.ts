import { expect, it } from 'vitest'
import { weightOf } from './report-weight.ts'

it('weighs spam and bots half, and everything by its confidence', () => {
  expect(weightOf('spam', 100)).toEqual({ bad: 0.5, good: 0 })
  expect(weightOf('fraud', 50)).toEqual({ bad: 0.5, good: 0 })
  expect(weightOf('legitimate', 80)).toEqual({ bad: 0, good: 0.8 })
})
