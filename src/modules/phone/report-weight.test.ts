import { expect, it } from 'vitest'
import { weightOf } from './report-weight.ts'

it('weights spam and bots by half, and every report by its confidence', () => {
  expect(weightOf('spam', 100)).toEqual({ bad: 0.5, good: 0 })
  expect(weightOf('fraud', 50)).toEqual({ bad: 0.5, good: 0 })
  expect(weightOf('legitimate', 80)).toEqual({ bad: 0, good: 0.8 })
})
