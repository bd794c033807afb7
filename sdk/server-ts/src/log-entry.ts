/** Makes a log entry within the limits of the service from arguments of any type. */
import { byteLength, type LogEntry } from './batches.ts'

export type LogLevel = LogEntry['level']

export type LogFields = {
  /** An `Error`, or an object with `type`, `stack` and `code`. */
  error?: unknown
  data?: Record<string, unknown> | undefined
  category?: string | undefined
  environment?: string | undefined
  tags?: readonly string[] | undefined
  trace_id?: string | undefined
  span_id?: string | undefined
}

const MESSAGE_CHARS_MAX = 32_000
const DATA_BYTES_MAX = 32_000
const NAME_CHARS_MAX = 256
const ERROR_NAME_CHARS_MAX = 512
const TAGS_MAX = 100

/**
 * Never throws, because a log must not break the program that writes it.
 *
 * @param sequence distinguishes entries of the same millisecond in the digits of the microseconds, so that
 *   two batches never have the same bytes
 */
export function logEntry(
  {
    device_id,
    level,
    message,
    fields,
  }: {
    device_id: string
    level: LogLevel
    message: unknown
    fields: LogFields
  },
  { now_ms, sequence }: { now_ms: number; sequence: number },
): LogEntry {
  const { error, data, category, environment, tags, trace_id, span_id } = fields
  const micros = String(sequence % 1000).padStart(3, '0')
  return {
    device_id,
    level,
    message: textOf(message).slice(0, MESSAGE_CHARS_MAX),
    timestamp: new Date(now_ms).toISOString().replace('Z', `${micros}Z`),
    category: nameOf(category),
    environment: nameOf(environment),
    error: error === undefined || error === null ? undefined : errorOf(error),
    data: data && dataOf(data),
    tags: tags && [...tags].slice(0, TAGS_MAX).map((tag) => textOf(tag).slice(0, NAME_CHARS_MAX)),
    trace_id: nameOf(trace_id),
    span_id: nameOf(span_id),
  }
}

function errorOf(error: unknown): { type?: string; stack?: string; code?: string } {
  if (typeof error !== 'object') return { type: textOf(error).slice(0, ERROR_NAME_CHARS_MAX) }
  const { name, type, stack, code } = error as Partial<Record<string, unknown>>
  const cut = (member: string, value: unknown, chars: number) =>
    value === undefined || value === null ? {} : { [member]: textOf(value).slice(0, chars) }
  return {
    ...cut('type', type ?? name, ERROR_NAME_CHARS_MAX),
    ...cut('stack', stack, MESSAGE_CHARS_MAX),
    ...cut('code', code, ERROR_NAME_CHARS_MAX),
  }
}

/** Replaces data that is too large or is not JSON, because the rest of the entry is useful. */
function dataOf(data: Record<string, unknown>): Record<string, unknown> {
  try {
    const json = JSON.stringify(data)
    const bytes = byteLength(json)
    if (bytes <= DATA_BYTES_MAX) return JSON.parse(json) as Record<string, unknown>
    return { left_out: `${bytes} bytes are more than ${DATA_BYTES_MAX}` }
  } catch {
    return { left_out: 'not possible as JSON' }
  }
}

const nameOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : textOf(value).slice(0, NAME_CHARS_MAX)

/** NUL cannot be stored. */
function textOf(value: unknown): string {
  try {
    const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
    return text.replaceAll('\0', '').toWellFormed()
  } catch {
    return 'not possible as text'
  }
}
