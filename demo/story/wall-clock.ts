/** Between the clock on the wall of a place and UTC. */

const HOUR_MS = 3_600_000
export const DAY_MS = 86_400_000
export const MINUTE_MS = 60_000

const formatOf = (zone: string): Intl.DateTimeFormat => FORMATS.get(zone) ?? newFormat(zone)

const newFormat = (timeZone: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat('en-GB', { timeZone, timeZoneName: 'longOffset' })

/** Made once: making one takes longer than using it a hundred times. */
const FORMATS: ReadonlyMap<string, Intl.DateTimeFormat> = new Map(
  ['Europe/Berlin', 'Europe/Amsterdam', 'Europe/London'].map((zone) => [zone, newFormat(zone)]),
)

/**
 * @param day midnight in UTC of the day that is meant
 * @param hour by the clock on the wall, may have a fraction or be beyond 24
 */
export function timeAt(zone: string, day: number, hour: number): number {
  const guess = day + hour * HOUR_MS
  return guess - offsetMs(zone, guess)
}

/** 0 is Sunday; the days of a story are those of UTC. */
export const weekdayOf = (day: number): number => new Date(day).getUTCDay()

/** `261120` of the 20th of November 2026. */
export const dayText = (day: number): string =>
  new Date(day).toISOString().slice(2, 10).replaceAll('-', '')

/** How far the wall is ahead of UTC; exact but for the hours around a change of summer time. */
function offsetMs(zone: string, at: number): number {
  const parts = formatOf(zone).formatToParts(at)
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(text) ?? []
  const minutesAhead = Number(hours) * 60 + Number(minutes)
  return (sign === '-' ? -1 : 1) * minutesAhead * MINUTE_MS
}
