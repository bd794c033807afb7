/** Chooses the width of the steps in which logs are counted for a chart. */
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../../platform/time-units.ts'
import { bucketsIn } from '../reading/summary.ts'
import type { Span } from '../reading/window.ts'

const FINE_STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
]
const WHOLE_HOURS_MS = [1, 2, 3, 4, 6, 12, 24, 48, 168].map((hours) => hours * HOUR_MS)

/**
 * Steps below an hour are counted from the rows. A longer span uses whole hours, which the roll-ups
 * already hold.
 */
const FINE_SPAN_MAX_MS = DAY_MS

/** Returns the narrowest step of which at most `stepsMax` are needed; above a week, whole days. */
export function stepOf(span: Span, stepsMax: number): number {
  const isFine = span.until_ms - span.from_ms <= FINE_SPAN_MAX_MS
  return isFine ? narrowest(span, stepsMax, FINE_STEPS_MS) : wholeHours(span, stepsMax)
}

/** Like `stepOf`, but always in whole hours, so that the roll-ups can be used. */
export const wholeHours = (span: Span, stepsMax: number): number =>
  narrowest(span, stepsMax, WHOLE_HOURS_MS)

/** Whether counts for such steps are sums of counts by the hour. */
export const isOfHours = (stepMs: number): boolean => stepMs % HOUR_MS === 0

function narrowest(span: Span, stepsMax: number, steps: readonly number[]): number {
  const fits = (stepMs: number) => bucketsIn(span, stepMs) <= stepsMax
  const step = [...steps, ...WHOLE_HOURS_MS].find(fits)
  if (step !== undefined) return step
  // A span that starts within a step touches one step more.
  const days = Math.ceil((span.until_ms - span.from_ms) / DAY_MS / (stepsMax - 1))
  return days * DAY_MS
}
