/** Offsets of local times in a time zone. */
import { DAY_MS } from './time-units.ts'

/** Files are mostly in the order of time, so few offsets are needed again. */
const OFFSETS_MAX = 10_000

/**
 * @returns a function from a local time (`2026-03-01T12:00`) to its offset (`+01:00`). Of two such times,
 *   when clocks go back, it takes the first
 * @throws RangeError for an unknown zone
 */
export function createZoneOffsets(zone: string): (local: string) => string {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  const known = new Map<string, string>()
  const offsetAt = (ms: number): string => {
    const parts = format.formatToParts(ms)
    const name = parts.find(({ type }) => type === 'timeZoneName')?.value ?? ''
    return name.replace('GMT', '') || '+00:00'
  }
  return (local) => {
    const cached = known.get(local)
    if (cached !== undefined) return cached
    const utc = Date.parse(`${local}:00Z`)
    if (Number.isNaN(utc)) return 'Z'
    const before = offsetAt(utc - DAY_MS)
    const after = offsetAt(utc + DAY_MS)
    const isValid = (offset: string) => offsetAt(Date.parse(`${local}:00${offset}`)) === offset
    const offset = isValid(before) ? before : after
    if (known.size >= OFFSETS_MAX) known.clear()
    known.set(local, offset)
    return offset
  }
}
