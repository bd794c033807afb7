/**
 * The public types. This file imports nothing, because the build gives it out as the type declarations
 * of the package.
 */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal'

/** What an entry may say beside level and message. */
export type LogFields = {
  category?: string
  environment?: string
  /** Of errors: an `Error`, or its parts. */
  error?: Error | { type?: string; stack?: string; code?: string }
  /** Anything that JSON can say. */
  data?: object
  tags?: readonly string[]
  trace_id?: string
  span_id?: string
}

export type DeviceType =
  | 'pos'
  | 'kiosk'
  | 'iot'
  | 'mobile'
  | 'desktop'
  | 'server'
  | 'gateway'
  | 'other'

export type DeviceFields = {
  device_type?: DeviceType
  name?: string
  firmware_version?: string
  location?: { name?: string; address?: string }
  tags?: readonly string[]
}

export type EdgeAgentOptions = {
  /** With the version, without a slash at the end: `https://vigil.example.com/v1`. */
  base_url: string
  api_key: string
  device_id: string
  /** Where entries are kept until they have arrived. One agent per folder. */
  folder: string
  /** Registered at the start. */
  device?: DeviceFields
  /** Default 60; 0 sends none. */
  heartbeat_seconds?: number
  /** Default 1,000, the default of the service. */
  batch_entries_max?: number
  /** Before compression. Default 4 MB; the default of the service is 5 MB. */
  batch_bytes_max?: number
  /** How long an entry waits for others. Default 1,000 ms. */
  flush_ms?: number
  /** What may be on disk. Default 256 MB. */
  buffer_bytes_max?: number
  /** Longer messages and stacks are cut. Default 32,000 characters. */
  message_chars_max?: number
  /** Larger `data` is left out. Default 32,000 bytes. */
  data_bytes_max?: number
  /** Told of what an operator should know, once for each change. Default `console.warn`. */
  report?: (message: string) => void
  fetch?: typeof fetch
  /** Milliseconds since 1970. */
  now?: () => number
  random?: () => number
  timers?: Timers
}

export type Timers = {
  /** Must not keep the process alive. */
  set: (run: () => void, ms: number) => unknown
  clear: (timer: unknown) => void
}

export type EdgeAgentStats = {
  /** On disk, not acknowledged yet. */
  waiting_entries: number
  waiting_bytes: number
  acknowledged_entries: number
  /** In acknowledged batches, but refused by the service one by one. */
  refused_entries: number
  /** In batches that the service refused as a whole. They are in the folder `rejected`. */
  rejected_entries: number
  dropped: {
    /** Below `error`, not taken because the buffer was full. */
    buffer_full: number
    /** Older entries that gave way to errors. */
    evicted: number
    /** Not taken because the disk could not be written. */
    disk: number
    /** Lines that could not be read back, for example after a power cut. */
    unreadable: number
    /** Logged after `close`. */
    closed: number
  }
  failed_requests: number
  is_sending: boolean
  is_registered: boolean
  last_acknowledged_at?: string
}

export type EdgeAgent = {
  /** When it returns, the entry is with the operating system and survives the end of the process. Never throws. */
  log: (level: LogLevel, message: string, fields?: LogFields) => void
  debug: (message: string, fields?: LogFields) => void
  info: (message: string, fields?: LogFields) => void
  warn: (message: string, fields?: LogFields) => void
  error: (message: string, fields?: LogFields) => void
  fatal: (message: string, fields?: LogFields) => void
  /**
   * Sends what waits, and answers whether all of it has arrived. It does not shorten a pause that the
   * service has asked for.
   */
  flush: () => Promise<boolean>
  stats: () => EdgeAgentStats
  /** Tries once more for at most `timeoutMs` (default 5,000), then lets go of the folder. */
  close: (timeoutMs?: number) => Promise<void>
}
