/**
 * The period of a view. A relative range stays relative in a link and moves with the clock; an absolute
 * range has a start, an end, or both; `received` has no bounds and shows what was ingested recently,
 * regardless of the clocks of devices; `query` leaves the time to the query.
 */
import { fieldsIn, midnightOf, readLocal } from '../../components/zone.ts'

export type TimeRange =
  | { kind: 'relative'; token: string; span_ms: number }
  | { kind: 'absolute'; from: Date | undefined; to: Date | undefined }
  | { kind: 'received' }
  | { kind: 'query' }
  /** A day in the time zone of the page. */
  | { kind: 'day'; token: 'today' | 'yesterday' }

/** Query parameters of the service. */
export type Dates = { start_date?: string; end_date?: string }

export const RECEIVED = 'received'
export const CUSTOM = 'between'
const DEFAULT_MS = 3_600_000

export const QUICK_RANGES = [
  { value: '5m', label: 'Last 5 minutes' },
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '4h', label: 'Last 4 hours' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '2d', label: 'Last 2 days' },
  { value: 'today', label: 'Today' },
  { value: 'yesterday', label: 'Yesterday' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: RECEIVED, label: 'Recently ingested' },
] as const

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const RELATIVE = /^([1-9]\d{0,3})([mhd])$/

/** `time:yesterday` in a query, as the service reads it. */
const TIME_IN_QUERY = /(?:^|[\s(])-?time:\S/

/** The range in the address; an invalid range means the last hour. */
export function rangeOf(view: {
  range: string
  from: string
  to: string
  q?: string | undefined
}): TimeRange {
  const [from, to] = [dateOf(view.from), dateOf(view.to)]
  if (from || to) return { kind: 'absolute', from, to }
  if (TIME_IN_QUERY.test(view.q ?? '')) return { kind: 'query' }
  if (view.range === RECEIVED) return { kind: 'received' }
  if (view.range === 'today' || view.range === 'yesterday')
    return { kind: 'day', token: view.range }
  const [token = '1h', count, unit] = RELATIVE.exec(view.range) ?? []
  const span_ms =
    count === undefined ? DEFAULT_MS : Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS]
  return { kind: 'relative', token, span_ms }
}

/** A relative range gets an end, so that its pages do not shift while logs arrive. */
export function datesOf(range: TimeRange, now: Date): Dates {
  if (range.kind === 'received' || range.kind === 'query') return {}
  if (range.kind === 'relative') {
    const start_date = new Date(now.getTime() - range.span_ms).toISOString()
    return { start_date, end_date: now.toISOString() }
  }
  if (range.kind === 'day') {
    const { year, month, day } = fieldsIn(now)
    const midnight = midnightOf(year, month, day)
    const start = range.token === 'yesterday' ? midnightOf(year, month, day - 1) : midnight
    const end = range.token === 'today' ? now : new Date(midnight.getTime() - 1)
    return { start_date: start.toISOString(), end_date: end.toISOString() }
  }
  const { from, to } = range
  if (!from) return to ? { end_date: to.toISOString() } : {}
  // A range without an end includes logs of devices whose clocks are ahead.
  return { start_date: from.toISOString(), ...(to && { end_date: to.toISOString() }) }
}

/** Doubles the range around its center without extending it into the future. */
export function zoomedOut(dates: Required<Dates>, now: Date): { from: string; to: string } {
  const [start, end] = [Date.parse(dates.start_date), Date.parse(dates.end_date)]
  const more = Math.max(1000, (end - start) / 2)
  const to = Math.max(end, Math.min(end + more, now.getTime()))
  return { from: isoOf(to - (end - start) - 2 * more), to: isoOf(to) }
}

/** The value of a `datetime-local` field, in the time zone of the page. */
export function localText(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const { year, month, day, hour, minute, second } = fieldsIn(time)
  const date = `${String(year).padStart(4, '0')}-${two(month + 1)}-${two(day)}`
  return `${date}T${two(hour)}:${two(minute)}:${two(second)}`
}

/** @returns undefined when the text is not a time */
export function timeOfLocal(text: string): Date | undefined {
  const time = readLocal(text)
  return text === '' || Number.isNaN(time.getTime()) ? undefined : time
}

/** ISO 8601 writes these years with four digits. */
const TIME_MIN_MS = Date.parse('0000-01-01T00:00:00Z')
const TIME_MAX_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** The nearest time that the service accepts. */
export const isoOf = (timeMs: number): string =>
  new Date(Math.max(TIME_MIN_MS, Math.min(TIME_MAX_MS, timeMs))).toISOString()

function dateOf(text: string): Date | undefined {
  const time = text === '' ? Number.NaN : Date.parse(text)
  return time >= TIME_MIN_MS && time <= TIME_MAX_MS ? new Date(time) : undefined
}
