import { type Dates, timesOf } from '../date-range.ts'
import { invalidRequest } from './errors.ts'

/**
 * Reads `start_date` and `end_date` of a query, both included.
 * @throws AppError 400 naming the invalid one
 */
export function readDates(dates: Dates): { start: Date | undefined; end: Date | undefined } {
  const times = timesOf(dates)
  if ('field' in times) throw invalidRequest(times.field, `${times.field} ${times.problem}`)
  const { start_ms, end_ms } = times
  return {
    start: start_ms === undefined ? undefined : new Date(start_ms),
    end: end_ms === undefined ? undefined : new Date(end_ms),
  }
}
