/** Days in the viewer's time zone, as date fields have them: `2026-03-01`. */

export function dayOf(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  return `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
}

/** Midnight to midnight, which are 23 or 25 hours apart when the clocks change. */
export function boundsOf(day: string): { start: Date; end: Date } | undefined {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day) ?? []
  if (year === undefined) return undefined
  const start = new Date(Number(year), Number(month) - 1, Number(date))
  if (dayOf(start) !== day) return undefined
  return { start, end: new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1) }
}

/** @returns undefined for an empty or invalid day */
export const startOfDay = (day: string): string | undefined => boundsOf(day)?.start.toISOString()

/** The last millisecond, because both ends of a range are inclusive. */
export function endOfDay(day: string): string | undefined {
  const bounds = boundsOf(day)
  return bounds && new Date(bounds.end.getTime() - 1).toISOString()
}
