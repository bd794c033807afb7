/** The columns of the explorer: any field of a log entry and any member of its data. */
import type { LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'

const FIELDS: Readonly<Record<string, (log: LogRecord) => string | null | undefined>> = {
  device_id: (log) => log.device_id,
  category: (log) => log.category,
  environment: (log) => log.environment,
  error_type: (log) => log.error?.type,
  error_code: (log) => log.error?.code,
  error_fingerprint: (log) => log.error_fingerprint,
  tags: (log) => log.tags.join(', '),
  trace_id: (log) => log.trace_id,
  span_id: (log) => log.span_id,
  received_at: (log) => log.received_at,
  id: (log) => log.id,
}
export const COLUMN_FIELDS: readonly string[] = Object.keys(FIELDS)

const DATA = 'data.'
/** More would leave no room for the message. */
export const COLUMNS_MAX = 8
/** An empty text in the address would be the default. */
const NO_COLUMNS = 'none'

/** The fields in the address; unknown ones are ignored. */
export function columnsOf(text: string): string[] {
  const names = text.split(',').filter((name) => isColumn(name))
  return [...new Set(names)].slice(0, COLUMNS_MAX)
}

export const columnsText = (columns: readonly string[]): string => columns.join(',') || NO_COLUMNS

/** A comma separates the columns in the address. */
export const isColumn = (name: string): boolean =>
  Object.hasOwn(FIELDS, name) ||
  (name.startsWith(DATA) && name.length > DATA.length && !name.includes(','))

export function cellText(log: LogRecord, column: string): string {
  if (!column.startsWith(DATA)) return FIELDS[column]?.(log) ?? ''
  const path = column.slice(DATA.length)
  const value = memberOf(log.data, path.split('.')) ?? memberOf(log.data, [path])
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function memberOf(data: unknown, keys: readonly string[]): unknown {
  return keys.reduce<unknown>((value, key) => {
    const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, key)
    return isObject ? (value as Record<string, unknown>)[key] : undefined
  }, data)
}

export const DENSITIES = {
  compact: { label: 'Compact', row_px: 22 },
  normal: { label: 'Normal', row_px: 28 },
  tall: { label: 'Three lines', row_px: 66 },
} as const
export type Density = keyof typeof DENSITIES

export const densityOf = (text: string): Density =>
  Object.hasOwn(DENSITIES, text) ? (text as Density) : 'normal'
