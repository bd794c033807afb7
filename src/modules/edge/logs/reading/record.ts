/** Converts stored log entries into the records that readings return (OP-15). */
import { parseExact } from '../../../../platform/exact-json.ts'
import type { Level } from '../level.ts'
import type { LogRecord } from '../schema.ts'

/** Columns of `edge_logs`; an empty text stands for a member that was not sent. */
export type StoredLog = {
  id: string
  received_at_ms: number
  timestamp_ms: number
  device_id: string
  level: Level
  category: string
  environment: string
  message: string
  error_type: string
  error_code: string
  error_stack: string
  error_fingerprint: string
  /** JSON, or empty. */
  data: string
  tags: string[]
  trace_id: string
  span_id: string
}

/** In its JSON, `withNumbers` must restore the numbers of `data`. */
export function recordOf(log: StoredLog): LogRecord {
  return {
    id: log.id,
    device_id: log.device_id,
    level: log.level,
    message: log.message,
    timestamp: isoTime(log.timestamp_ms),
    category: orNull(log.category),
    environment: orNull(log.environment),
    error: errorOf(log),
    data: dataOf(log.data),
    tags: log.tags,
    trace_id: orNull(log.trace_id),
    span_id: orNull(log.span_id),
    received_at: isoTime(log.received_at_ms),
    error_fingerprint: orNull(log.error_fingerprint),
  }
}

/** ECMA-262, "Time Values and Time Range"; ingestion accepts no time outside of it. */
const TIME_MAX_MS = 8.64e15

export const isoTime = (timeMs: number): string =>
  new Date(Math.max(-TIME_MAX_MS, Math.min(TIME_MAX_MS, timeMs))).toISOString()

const orNull = (text: string): string | null => (text === '' ? null : text)

function errorOf({ error_type, error_stack, error_code }: StoredLog): LogRecord['error'] {
  if (error_type === '' && error_stack === '' && error_code === '') return null
  return { type: orNull(error_type), stack: orNull(error_stack), code: orNull(error_code) }
}

function dataOf(text: string): LogRecord['data'] {
  if (text === '') return null
  try {
    return parseExact(text) as Record<string, unknown>
  } catch {
    // Ingestion stores only valid JSON, so this row was written by something else.
    return null
  }
}
