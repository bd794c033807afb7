/** What readings of logs answer, as their readers see it: the portal's, and those of the console. */
import type { Level } from './level.ts'

/** A log entry (OP-15): as it was sent, and what was added when it was received. */
export type LogRecord = {
  id: string
  device_id: string
  level: Level
  message: string
  timestamp: string
  category: string | null
  environment: string | null
  error: { type: string | null; stack: string | null; code: string | null } | null
  data: Record<string, unknown> | null
  tags: string[]
  trace_id: string | null
  span_id: string | null
  received_at: string
  error_fingerprint: string | null
}

export type LogPage = {
  logs: LogRecord[]
  pagination: { page: number; limit: number; total: number; pages: number }
}

/** Specification, "Error group". */
export type ErrorGroupRecord = {
  fingerprint: string
  error_type: string | null
  message: string
  count: number
  affected_devices: number
  first_seen: string
  last_seen: string
  environments: string[]
}

export type CountedLevel = { level: Level; count: number }
export type TrendPoint = { timestamp: string; total: number; by_level: CountedLevel[] }

/** Specification, "Edge overview". */
export type Overview = {
  logs: { total: number; by_level: CountedLevel[] }
  devices: { total: number; active: number; with_errors: number }
  errors: { total: number; unique_types: number; error_rate: number }
  trends: { logs_24h: number; logs_24h_change: number }
}

/** Every step from the first to the last is there; the outer two hold what lies between the dates. */
export type Histogram = {
  from: string
  until: string
  step_ms: number
  total: number
  bars: TrendPoint[]
}

/** How often errors of some groups occurred, step by step. */
export type ErrorTrends = {
  from: string
  until: string
  step_ms: number
  trends: { fingerprint: string; counts: number[] }[]
}

/** `devices` are those with the most errors of the group; `affected_devices` counts all. */
export type ErrorGroupDetails = ErrorGroupRecord & {
  devices: { device_id: string; count: number; first_seen: string; last_seen: string }[]
}

/** A group as it concerns one device. */
export type DeviceError = {
  fingerprint: string
  error_type: string | null
  message: string
  count: number
  last_seen: string
}
