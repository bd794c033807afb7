/** How wide the steps are in which logs are counted for a drawing. */
import { bucketsIn } from '../statistics/summary.ts'
import { DAY_MS, HOUR_MS } from '../window.ts'

type Span = { from_ms: number; until_ms: number }

const SECOND_MS = 1000
const MINUTE_MS = 60_000
const FINE_STEPS_MS = [
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND_MS),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE_MS),
]
const WHOLE_HOURS_MS = [1, 2, 3, 4, 6, 12, 24, 48, 168].map((hours) => hours * HOUR_MS)

/**
 * Steps below an hour are counted row by row: a longer span is drawn by the hour at least, which
 * comes from the roll-ups.
 */
const FINE_SPAN_MAX_MS = DAY_MS

/** The narrowest steps of which there are no more than so many. Beyond a week whole days, any number. */
export function stepOf(span: Span, stepsMax: number): number {
  const isFine = span.until_ms - span.from_ms <= FINE_SPAN_MAX_MS
  return isFine ? narrowest(span, stepsMax, FINE_STEPS_MS) : wholeHours(span, stepsMax)
}

/** Of whole hours, so that it can be counted in the roll-ups. */
export const wholeHours = (span: Span, stepsMax: number): number =>
  narrowest(span, stepsMax, WHOLE_HOURS_MS)

/** Whether counts by such steps can be put together from counts by the hour. */
export const isOfHours = (stepMs: number): boolean => stepMs % HOUR_MS === 0

function narrowest(span: Span, stepsMax: number, steps: readonly number[]): number {
  const fits = (stepMs: number) => bucketsIn(span, stepMs) <= stepsMax
  const step = [...steps, ...WHOLE_HOURS_MS].find(fits)
  if (step !== undefined) return step
  // One step more may be begun at either end.
  const days = Math.ceil((span.until_ms - span.from_ms) / DAY_MS / (stepsMax - 1))
  return days * DAY_MS
}
