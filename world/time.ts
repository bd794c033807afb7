/** Units of time, and the local time of a place. Times are milliseconds since 1970. */
export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS

/**
 * Hours ahead of UTC, or the name of a time zone. Evaluations use hours and have no summer time, so that
 * their results do not depend on the time zone data of a machine.
 */
export type Zone = number | string

/**
 * @param day midnight in UTC of the calendar day
 * @param hour in local time, may have a fraction or exceed 24
 */
export function timeAt(zone: Zone, day: number, hour: number): number {
  const guess = day + hour * HOUR_MS
  return Math.floor(guess - offsetMs(zone, guess))
}

/** Hour of the local time, 0 to 23 */
export const hourAt = (zone: Zone, at: number): number =>
  Math.floor(((at + offsetMs(zone, at)) % DAY_MS) / HOUR_MS)

export const startOfDay = (at: number): number => at - (at % DAY_MS)

/** From `start` on and before `end`. */
export type Span = { start: number; end: number }

export const isWithin = ({ start, end }: Span, at: number): boolean => at >= start && at < end

/** 0 is Sunday. */
export const weekdayOf = (day: number): number => new Date(day).getUTCDay()

/** Exact except in the hours around a change to or from summer time. */
function offsetMs(zone: Zone, at: number): number {
  if (typeof zone === 'number') return zone * HOUR_MS
  const parts = (FORMATS.get(zone) ?? createFormat(zone)).formatToParts(at)
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(text) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR_MS + Number(minutes) * MINUTE_MS)
}

const createFormat = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' })

/** Creating a format takes longer than using it a hundred times. */
const FORMATS: ReadonlyMap<string, Intl.DateTimeFormat> = new Map(
  ['Europe/Berlin', 'Europe/Amsterdam', 'Europe/London'].map((zone) => [zone, createFormat(zone)]),
)
