import { describe, expect, it } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../../platform/time-units.ts'
import { bucketsIn } from '../reading/summary.ts'
import { isOfHours, stepOf, wholeHours } from './steps.ts'

const UNTIL = Date.parse('2026-03-01T12:34:56.789Z')
const spanOf = (ms: number) => ({ from_ms: UNTIL - ms, until_ms: UNTIL })
const SPANS = [
  0,
  1,
  1000,
  HOUR_MS,
  DAY_MS,
  DAY_MS + 1,
  7 * DAY_MS,
  199 * DAY_MS,
  3650 * DAY_MS,
  Date.parse('9999-12-31') - Date.parse('0000-01-01'),
]

describe('steps of a chart', () => {
  it.each([60, 200])('are at most %i for any span', (most) => {
    for (const span of SPANS.map(spanOf)) {
      for (const step of [stepOf(span, most), wholeHours(span, most)]) {
        expect(bucketsIn(span, step)).toBeLessThanOrEqual(most)
      }
    }
  })

  it('are shorter than an hour for at most a day; longer spans and trends use whole hours', () => {
    expect(stepOf(spanOf(HOUR_MS), 200)).toBe(30_000)
    expect(stepOf(spanOf(DAY_MS), 200)).toBe(600_000)
    expect(stepOf(spanOf(DAY_MS + 1), 200)).toBe(HOUR_MS)
    for (const span of SPANS.map(spanOf)) expect(isOfHours(wholeHours(span, 60))).toBe(true)
  })
})
