/** A period of whole days in a time zone, as query parameters. */
import { Type } from 'typebox'
import { DAY_MS } from '../time-units.ts'
import { createZoneOffsets } from '../zone-offsets.ts'
import { invalidRequest } from './errors.ts'

const day = () =>
  Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\d$`, 'x-wanted': 'a day, such as 2026-03-01' })
const ZONE_MAX_CHARS = 64
const DAYS_MAX = 366
const DAY_CHARS = 'YYYY-MM-DD'.length

export const timeZoneParameter = Type.String({ minLength: 1, maxLength: ZONE_MAX_CHARS })

export const periodQuery = {
  from: day(),
  /** The last day, which is part of the period. */
  to: day(),
  time_zone: timeZoneParameter,
}

export type Period = {
  /** All days, as `2026-03-01`, with the time at which each begins. */
  days: { day: string; starts_at: Date }[]
  from: Date
  /** The end of the last day. */
  to: Date
}

/** @throws AppError 400 naming the parameter at fault */
export function readPeriod(query: { from: string; to: string; time_zone: string }): Period {
  const { from, to, time_zone } = query
  const offsetOf = offsetsOf(time_zone)
  const startOf = (name: string) => new Date(`${name}T00:00:00${offsetOf(`${name}T00:00`)}`)
  for (const field of ['from', 'to'] as const) {
    if (dayPlus(query[field], 0) !== query[field]) {
      throw invalidRequest(field, `${field} is not a day of the calendar`)
    }
  }
  const days: Period['days'] = []
  for (let name = from; name <= to; name = dayPlus(name, 1)) {
    if (days.length === DAYS_MAX) {
      throw invalidRequest('from', `from and to must be at most ${DAYS_MAX} days apart`)
    }
    days.push({ day: name, starts_at: startOf(name) })
  }
  const [first] = days
  if (first === undefined) throw invalidRequest('to', 'to must not be before from')
  return { days, from: first.starts_at, to: startOf(dayPlus(to, 1)) }
}

/** @returns the calendar month in a time zone */
export function readMonth(now: Date, time_zone: string): Period {
  offsetsOf(time_zone)
  const parts = { year: 'numeric', month: '2-digit', timeZone: time_zone } as const
  const [year = '', month = ''] = new Intl.DateTimeFormat('en-CA', parts).format(now).split('-')
  const last = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  const from = `${year}-${month}-01`
  return readPeriod({ from, to: `${year}-${month}-${last}`, time_zone })
}

function offsetsOf(zone: string): (local: string) => string {
  try {
    return createZoneOffsets(zone)
  } catch {
    throw invalidRequest('time_zone', 'time_zone must be a time zone, such as Europe/Berlin')
  }
}

/** @returns an empty text for what is no day */
function dayPlus(name: string, days: number): string {
  const ms = Date.parse(`${name}T00:00:00Z`)
  if (Number.isNaN(ms)) return ''
  return new Date(ms + days * DAY_MS).toISOString().slice(0, DAY_CHARS)
}
