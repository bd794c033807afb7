/**
 * The time that a view is about. A relative range stays relative in a link and moves on with the
 * clock; an absolute one has a beginning, an end, or both; `received` has no bounds and shows what came
 * in lately, whatever the clocks of devices said.
 */

export type TimeRange =
  | { kind: 'relative'; token: string; span_ms: number }
  | { kind: 'absolute'; from: Date | undefined; to: Date | undefined }
  | { kind: 'received' }

/** As the service takes them. */
export type Dates = { start_date?: string; end_date?: string }

export const RECEIVED = 'received'
export const BETWEEN = 'between'
const USUAL_MS = 3_600_000

export const QUICK_RANGES = [
  { value: '5m', label: 'Last 5 minutes' },
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '4h', label: 'Last 4 hours' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '2d', label: 'Last 2 days' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: RECEIVED, label: 'Received lately (any clock)' },
] as const

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const
const RELATIVE = /^([1-9]\d{0,3})([mhd])$/

/** What the address says; whatever cannot be read means the last hour. */
export function rangeOf(view: { range: string; from: string; to: string }): TimeRange {
  const [from, to] = [dateOf(view.from), dateOf(view.to)]
  if (from || to) return { kind: 'absolute', from, to }
  if (view.range === RECEIVED) return { kind: 'received' }
  const [token = '1h', count, unit] = RELATIVE.exec(view.range) ?? []
  const span_ms =
    count === undefined ? USUAL_MS : Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS]
  return { kind: 'relative', token, span_ms }
}

/** With an end wherever there is a beginning, so that pages stand still while logs arrive. */
export function datesOf(range: TimeRange, now: Date): Dates {
  if (range.kind === 'received') return {}
  if (range.kind === 'relative') {
    const start_date = new Date(now.getTime() - range.span_ms).toISOString()
    return { start_date, end_date: now.toISOString() }
  }
  const { from, to } = range
  if (!from) return to ? { end_date: to.toISOString() } : {}
  // What is still to come, by clocks that run ahead, belongs to a range without an end.
  return { start_date: from.toISOString(), ...(to && { end_date: to.toISOString() }) }
}

/** Twice as long, with the same middle, but not into the future. */
export function widened(dates: Required<Dates>, now: Date): { from: string; to: string } {
  const [start, end] = [Date.parse(dates.start_date), Date.parse(dates.end_date)]
  const more = Math.max(1000, (end - start) / 2)
  const to = Math.max(end, Math.min(end + more, now.getTime()))
  return { from: isoOf(to - (end - start) - 2 * more), to: isoOf(to) }
}

/** Of a `datetime-local` field, in the zone of the viewer. */
export function localText(time: Date): string {
  const two = (value: number) => String(value).padStart(2, '0')
  const date = `${String(time.getFullYear()).padStart(4, '0')}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return `${date}T${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`
}

/** @returns undefined when it is no time */
export function timeOfLocal(text: string): Date | undefined {
  const time = new Date(text)
  return text === '' || Number.isNaN(time.getTime()) ? undefined : time
}

/** Years that ISO 8601 writes with four digits. */
const TIME_MIN_MS = Date.parse('0000-01-01T00:00:00Z')
const TIME_MAX_MS = Date.parse('9999-12-31T23:59:59.999Z')

/** The nearest that can be asked for. */
export const isoOf = (timeMs: number): string =>
  new Date(Math.max(TIME_MIN_MS, Math.min(TIME_MAX_MS, timeMs))).toISOString()

function dateOf(text: string): Date | undefined {
  const time = text === '' ? Number.NaN : Date.parse(text)
  return time >= TIME_MIN_MS && time <= TIME_MAX_MS ? new Date(time) : undefined
}
