/** Serializes log entries within the limits of the service, for arguments of any type. */
import type { LogFields, LogLevel } from './types.ts'

export type EntryLimits = { message_chars_max: number; data_bytes_max: number }

/** The service rejects entries with longer names. */
const NAME_CHARS_MAX = 256
const ERROR_NAME_CHARS_MAX = 512
const TAGS_MAX = 100
const DEVICE_ID_CHARS_MAX = 512
const YEAR_0_MS = Date.parse('0000-01-01T00:00:00.000Z')
const YEAR_9999_MS = Date.parse('9999-12-31T23:59:59.999Z')

export type Entry = {
  /** The device of the agent. */
  device_id: string
  level: LogLevel
  message: string
  fields: LogFields
  now_ms: number
}

/** Returns an entry as one line of JSON with a line feed. Never throws. */
export function entryLine(
  { device_id, level, message, fields, now_ms }: Entry,
  limits: EntryLimits,
): string {
  const { category, environment, error, data, tags, trace_id, span_id } = fields
  const entry = {
    device_id: deviceOf(fields.device_id) ?? device_id,
    level,
    message: textOf(message).slice(0, limits.message_chars_max),
    timestamp: timeOf(fields.timestamp_ms) ?? new Date(now_ms).toISOString(),
    category: nameOf(category),
    environment: nameOf(environment),
    error: error && errorOf(error, limits),
    data: data && dataOf(data, limits),
    tags: Array.isArray(tags)
      ? tags.slice(0, TAGS_MAX).map((tag) => textOf(tag).slice(0, NAME_CHARS_MAX))
      : undefined,
    trace_id: nameOf(trace_id),
    span_id: nameOf(span_id),
  }
  return `${JSON.stringify(entry)}\n`
}

/** Accepts an `Error` with `name` and `code`, or an object with `type` and `code`. */
function errorOf(error: NonNullable<LogFields['error']>, limits: EntryLimits) {
  const { name, type, stack, code } = error as Partial<Record<string, unknown>>
  const cut = (value: unknown, length: number) =>
    value === undefined || value === null ? undefined : textOf(value).slice(0, length)
  return {
    type: cut(type ?? name, ERROR_NAME_CHARS_MAX),
    stack: cut(stack, limits.message_chars_max),
    code: cut(code, ERROR_NAME_CHARS_MAX),
  }
}

/** Replaces data that is too large or cannot be serialized, because the entry is still useful. */
function dataOf(data: object, { data_bytes_max }: EntryLimits): unknown {
  try {
    const json = JSON.stringify(data)
    const bytes = Buffer.byteLength(json)
    if (bytes <= data_bytes_max) return JSON.parse(json)
    return { left_out: `${bytes} bytes are more than ${data_bytes_max}` }
  } catch (error) {
    return { left_out: `not possible as JSON: ${textOf(error).slice(0, NAME_CHARS_MAX)}` }
  }
}

/** The service rejects other ids. */
const deviceOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' && !value.includes('\0')
    ? value.slice(0, DEVICE_ID_CHARS_MAX)
    : undefined

/** The service rejects other times. */
const timeOf = (ms: unknown): string | undefined =>
  typeof ms === 'number' && ms >= YEAR_0_MS && ms <= YEAR_9999_MS
    ? new Date(ms).toISOString()
    : undefined

const nameOf = (value: unknown): string | undefined =>
  value === undefined || value === null ? undefined : textOf(value).slice(0, NAME_CHARS_MAX)

function textOf(value: unknown): string {
  try {
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  } catch {
    return 'not possible as text'
  }
}
