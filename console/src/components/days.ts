/** Days in the time zone of the page, as date fields have them: `2026-03-01`. */
import { fieldsIn, midnightOf } from './zone.ts'

export function dayOf(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const { year, month, day } = fieldsIn(time)
  return `${year}-${two(month + 1)}-${two(day)}`
}

/** Midnight to midnight, which are 23 or 25 hours apart when the clocks change. */
export function boundsOf(day: string): { start: Date; end: Date } | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (year === undefined) return undefined
  const [y, m, d] = [Number(year), Number(month) - 1, Number(date)]
  const start = midnightOf(y, m, d)
  if (dayOf(start) !== day) return undefined
  return { start, end: midnightOf(y, m, d + 1) }
}

/** Midnight before a time, or a number of days before that. */
export function midnightBefore(time: Date, daysBefore = 0): Date {
  const { year, month, day } = fieldsIn(time)
  return midnightOf(year, month, day - daysBefore)
}

/** @returns undefined for an empty or invalid day */
export const startOfDay = (day: string): string | undefined => boundsOf(day)?.start.toISOString()

/** The last millisecond, because both ends of a range are inclusive. */
export function endOfDay(day: string): string | undefined {
  const bounds = boundsOf(day)
  return bounds && new Date(bounds.end.getTime() - 1).toISOString()
}
