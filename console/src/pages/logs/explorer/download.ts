/** Logs as a file: CSV for spreadsheets, or NDJSON with all fields. */
import type { LogRecord } from '../../../../../src/modules/edge/logs/schema.ts'

export const FORMATS = ['csv', 'ndjson'] as const
export type Format = (typeof FORMATS)[number]

const TYPES: Record<Format, string> = { csv: 'text/csv', ndjson: 'application/x-ndjson' }

export const fileType = (format: Format): string => `${TYPES[format]};charset=utf-8`

const COLUMNS: readonly (readonly [string, (log: LogRecord) => string | null | undefined])[] = [
  ['timestamp', (log) => log.timestamp],
  ['received_at', (log) => log.received_at],
  ['level', (log) => log.level],
  ['device_id', (log) => log.device_id],
  ['category', (log) => log.category],
  ['environment', (log) => log.environment],
  ['message', (log) => log.message],
  ['error_type', (log) => log.error?.type],
  ['error_code', (log) => log.error?.code],
  ['error_stack', (log) => log.error?.stack],
  ['error_fingerprint', (log) => log.error_fingerprint],
  ['data', (log) => (log.data === null ? null : JSON.stringify(log.data))],
  ['tags', (log) => log.tags.join(' ')],
  ['trace_id', (log) => log.trace_id],
  ['span_id', (log) => log.span_id],
  ['id', (log) => log.id],
]

export const fileHead = (format: Format): string =>
  format === 'csv' ? `${COLUMNS.map(([name]) => name).join(',')}\r\n` : ''

/** One line per entry, with its line end. */
export function fileLines(format: Format, logs: readonly LogRecord[]): string {
  if (format === 'ndjson') return logs.map((log) => `${JSON.stringify(log)}\n`).join('')
  return logs.map((log) => `${COLUMNS.map(([, of]) => cell(of(log))).join(',')}\r\n`).join('')
}

/** RFC 4180. An apostrophe keeps spreadsheets from evaluating a value as a formula. */
function cell(value: string | null | undefined): string {
  if (value === null || value === undefined || value === '') return ''
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
