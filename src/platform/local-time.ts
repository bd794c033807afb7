/** The local hour of a place. */
import findTimeZone from '@photostructure/tz-lookup'
import { MINUTE_MS } from './time-units.ts'

export type LocalHours = {
  /**
   * Uses the time zone of the coordinates, or the operator's zone without them.
   * @returns 0-23
   */
  hourAt(time: Date, latitude: number | undefined, longitude: number | undefined): number
}

const QUARTER_MS = 15 * MINUTE_MS
const DAY_MINUTES = 1440
/** About 400 zones, each with several quarters of an hour when orders arrive late. */
const OFFSETS_MAX = 2000

export function createLocalHours(timeZone: string): LocalHours {
  const formats = new Map<string, Intl.DateTimeFormat>()
  const offsets = new Map<string, number>()

  /**
   * Formatting costs microseconds, so an offset is cached for its quarter of an hour. Clocks change
   * on a quarter almost everywhere; St. John's changed at a minute past midnight until 2011, so a
   * quarter whose ends differ is computed by the minute.
   */
  const offsetMinutes = (zone: string, timeMs: number): number => {
    const quarter = Math.floor(timeMs / QUARTER_MS)
    const name = `${zone} ${quarter}`
    const known = offsets.get(name)
    if (known !== undefined) return known
    const format = formats.get(zone) ?? localClock(zone)
    formats.set(zone, format)
    const offset = offsetAt(format, quarter * QUARTER_MS)
    const last = offsetAt(format, (quarter + 1) * QUARTER_MS - MINUTE_MS)
    if (offset !== last) return offsetAt(format, timeMs)
    if (offsets.size >= OFFSETS_MAX) offsets.clear()
    offsets.set(name, offset)
    return offset
  }

  return {
    hourAt: (time, latitude, longitude) => {
      const isPlaced = latitude !== undefined && longitude !== undefined
      const zone = isPlaced ? findTimeZone(latitude, longitude) : timeZone
      const utcMinutes = time.getUTCHours() * 60 + time.getUTCMinutes()
      const minutes = utcMinutes + offsetMinutes(zone, time.getTime())
      return Math.floor((((minutes % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES) / 60)
    },
  }
}

function localClock(timeZone: string): Intl.DateTimeFormat {
  const options = { timeZone, hour: 'numeric', minute: 'numeric', hourCycle: 'h23' } as const
  return new Intl.DateTimeFormat('en-GB', options)
}

/** @returns minutes ahead of UTC, modulo whole days */
function offsetAt(format: Intl.DateTimeFormat, timeMs: number): number {
  const parts = format.formatToParts(timeMs)
  const read = (type: string) => Number(parts.find((part) => part.type === type)?.value ?? 0)
  const utc = new Date(timeMs)
  return read('hour') * 60 + read('minute') - (utc.getUTCHours() * 60 + utc.getUTCMinutes())
}
