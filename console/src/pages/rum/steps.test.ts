import { expect, it } from 'vitest'
import { stepsOf } from './steps.ts'

const trend = {
  since: '2026-03-01T12:20:00.000Z',
  until: '2026-03-01T15:10:00.000Z',
  step_ms: 3_600_000,
  points: [{ at: '2026-03-01T13:00:00.000Z', count: 7 }],
}
const hour = (at: number) => Date.UTC(2026, 2, 1, at)

it('covers every step from the start of the period, including empty ones', () => {
  expect(stepsOf(trend, ({ count }) => count)).toEqual({
    times: [hour(12), hour(13), hour(14), hour(15)],
    values: [0, 7, 0, 0],
  })
})
