/** Types of the log readings of the portal and the console. */
import type {
  ErrorGroupRecord,
  LogPage,
  LogRecord,
  Overview,
  TrendPoint,
} from './reading/schema.ts'

export type { ErrorGroupRecord, LogPage, LogRecord, Overview, TrendPoint }
export type CountedLevel = TrendPoint['by_level'][number]

/** All steps from first to last, including empty ones; the outer two are cut off at the dates. */
export type Histogram = {
  from: string
  until: string
  step_ms: number
  total: number
  bars: TrendPoint[]
}

/** Number of errors of each requested group, step by step. */
export type ErrorTrends = {
  from: string
  until: string
  step_ms: number
  trends: { fingerprint: string; counts: number[] }[]
}

/**
 * `devices` lists those with the most errors of the group; `affected_devices` counts all. `versions` are those
 * of the first and the last error that have one in their data; null if none has.
 */
export type ErrorGroupDetails = ErrorGroupRecord & {
  versions: { first: string | null; last: string | null }
  devices: { device_id: string; count: number; first_seen: string; last_seen: string }[]
}

/** An error group with the numbers of one device. */
export type DeviceError = Omit<ErrorGroupRecord, 'affected_devices' | 'first_seen' | 'environments'>
