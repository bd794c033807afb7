/** Times of the day at which a route sends only what is critical. Pure. */
import { MINUTE_MS } from '../../platform/time-units.ts'

/** `HH:MM`, in the time zone; `from` may be later than `until`, which is then on the next day. */
export type QuietHours = { from: string; until: string; time_zone: string }

const DAY_MINUTES = 1440

/** @returns the end of the quiet hours, or undefined outside of them */
export function quietUntil(quiet: QuietHours | null, now: Date): Date | undefined {
  if (quiet === null) return undefined
  const minute = minuteOfDay(now, quiet.time_zone)
  const since = (minute - minutesOf(quiet.from) + DAY_MINUTES) % DAY_MINUTES
  const length = (minutesOf(quiet.until) - minutesOf(quiet.from) + DAY_MINUTES) % DAY_MINUTES
  if (since >= length) return undefined
  const begun = now.getTime() - (now.getTime() % MINUTE_MS)
  return new Date(begun + (length - since) * MINUTE_MS)
}

export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

function minutesOf(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}

function minuteOfDay(now: Date, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return minutesOf(format.format(now))
}
