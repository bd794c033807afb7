/** A view of the log explorer: its address and the query of the service for it. */
import type { LogRecord } from '../../../../src/modules/edge/logs/schema.ts'
import { type Dates, datesOf, isoOf, rangeOf } from './time-range.ts'

export const LEVELS = ['debug', 'info', 'warn', 'error', 'fatal'] as const
export type Level = LogRecord['level']

/** By the names in the address. An empty text is no filter. */
export const VIEW_DEFAULTS = {
  range: '1h',
  from: '',
  to: '',
  level: '',
  q: '',
  device_id: '',
  category: '',
  environment: '',
  error_fingerprint: '',
  live: '',
  /** The field by which the histogram is stacked. */
  by: 'level',
  /** Fields between the level and the message, separated by commas. */
  columns: 'device_id,category',
  density: 'normal',
  order: 'newest',
  /** `list`, `table` or `chart`. */
  show: 'list',
  /** The field by which a table or a chart is grouped. */
  group: 'device_id',
  /** A number in data, and what of it a chart shows. */
  number: '',
  measure: 'count',
}

export type ViewName = keyof typeof VIEW_DEFAULTS
export type View = Readonly<Record<ViewName, string>>

/** Filters on a field of a log entry. */
export const VALUE_FILTERS = [
  { name: 'device_id', label: 'Device' },
  { name: 'category', label: 'Category' },
  { name: 'environment', label: 'Environment' },
  { name: 'error_fingerprint', label: 'Error group' },
] as const
export type ValueFilter = (typeof VALUE_FILTERS)[number]['name']

/** Query parameters of the service. */
export type LogQuery = Partial<Record<'level' | 'q' | ValueFilter, string>> & Dates

export function filtersOf(view: View): LogQuery {
  const query: LogQuery = {}
  const levels = levelsOf(view.level)
  if (levels.length > 0 && levels.length < LEVELS.length) query.level = levels.join(',')
  if (view.q.trim() !== '') query.q = view.q
  for (const { name } of VALUE_FILTERS) if (view[name] !== '') query[name] = view[name]
  return query
}

/** The valid levels in a text, the least severe first. */
export function levelsOf(text: string): Level[] {
  const listed = new Set(text.split(',').map((level) => level.trim()))
  return LEVELS.filter((level) => listed.has(level))
}

/** An empty text selects all levels, so removing the last one selects all others again. */
export function toggledLevel(text: string, level: Level): string {
  const levels = levelsOf(text)
  const next = LEVELS.filter((each) => (each === level) !== levels.includes(each))
  return next.length === LEVELS.length ? '' : next.join(',')
}

/** A view that always shows the same logs: a relative range becomes absolute. */
export function fixedView(view: View, now: Date): View {
  const { start_date = '', end_date = '' } = datesOf(rangeOf(view), now)
  if (start_date === '' && end_date === '') return { ...view, live: '' }
  return { ...view, range: VIEW_DEFAULTS.range, from: start_date, to: end_date, live: '' }
}

/** The values that differ from the defaults, for an address or a saved search. */
export function viewEntries(view: View): Record<string, string> {
  return Object.fromEntries(
    Object.entries(view).filter(
      ([name, value]) => value !== '' && value !== VIEW_DEFAULTS[name as ViewName],
    ),
  )
}

/** The view of a saved search. Names that do not exist (any more) are ignored. */
export function viewOf(entries: Readonly<Record<string, string>>): View {
  const known = Object.entries(entries).filter(([name]) => Object.hasOwn(VIEW_DEFAULTS, name))
  return { ...VIEW_DEFAULTS, ...Object.fromEntries(known) }
}

/** A short description of a search. */
export function viewWords(view: View): string {
  const { from, to, range, live } = view
  const time = from !== '' || to !== '' ? `${from || '…'} to ${to || '…'}` : range
  const { level, q, ...values } = filtersOf(view)
  const words = [
    live === '' ? time : 'live',
    level,
    q,
    ...Object.entries(values).map(([name, value]) => `${name}=${value}`),
  ]
  return words.filter((word) => word !== undefined).join(' · ')
}

/** The logs of the same device shortly before and after an entry. */
export function viewAround(entry: Pick<LogRecord, 'timestamp' | 'device_id'>): View {
  const at = Date.parse(entry.timestamp)
  return {
    ...VIEW_DEFAULTS,
    from: isoOf(at - AROUND_MS),
    to: isoOf(at + AROUND_MS),
    device_id: entry.device_id,
  }
}

const AROUND_MS = 60_000
