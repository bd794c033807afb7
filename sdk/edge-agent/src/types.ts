/**
 * The public types. This file imports nothing, because the build publishes it as the type declarations
 * of the package.
 */

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal'

/** Optional members of an entry, in addition to level and message. */
export type LogFields = {
  category?: string
  environment?: string
  /** An `Error`, or its parts. */
  error?: Error | { type?: string; stack?: string; code?: string }
  /** Any value that can be serialized as JSON. */
  data?: object
  tags?: readonly string[]
  trace_id?: string
  span_id?: string
  /** The device of the entry, if the agent forwards the logs of others. Default: that of the agent. */
  device_id?: string
  /** When it happened, in milliseconds since 1970. Default: now. */
  timestamp_ms?: number
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
  /** URL of the service with the version: `https://vigil.example.com/v1`. */
  base_url: string
  api_key: string
  device_id: string
  /** Folder in which entries are stored until they are acknowledged. One agent per folder. */
  folder: string
  /** Registered at the start. */
  device?: DeviceFields
  /** Interval of heartbeats. Default 60; 0 sends none. */
  heartbeat_seconds?: number
  /** Default 1,000, the default of the service. */
  batch_entries_max?: number
  /** Size before compression. Default 4 MB; the default of the service is 5 MB. */
  batch_bytes_max?: number
  /** Maximum time for which entries are collected into a batch. Default 1,000 ms. */
  flush_ms?: number
  /** Size of the buffer on disk. Default 256 MB. */
  buffer_bytes_max?: number
  /** Longer messages and stacks are cut. Default 32,000 characters. */
  message_chars_max?: number
  /** Larger `data` is left out. Default 32,000 bytes. */
  data_bytes_max?: number
  /**
   * Called with a message for the operator when a problem starts and when it ends. Default
   * `console.warn`.
   */
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
  /** Entries on disk that are not acknowledged yet. */
  waiting_entries: number
  waiting_bytes: number
  acknowledged_entries: number
  /** Entries of acknowledged batches that the service refused individually. */
  refused_entries: number
  /** Entries of batches that the service refused as a whole. They are in the folder `rejected`. */
  rejected_entries: number
  dropped: {
    /** Entries below `error` that were dropped because the buffer was full. */
    buffer_full: number
    /** Older entries that were replaced by errors. */
    evicted: number
    /** Entries that could not be written to the disk. */
    disk: number
    /** Lines that could not be read, for example after a power failure. */
    unreadable: number
    /** Entries that were logged after `close`. */
    closed: number
  }
  failed_requests: number
  is_sending: boolean
  is_registered: boolean
  last_acknowledged_at?: string
}

export type EdgeAgent = {
  /**
   * Records an entry, which is written to the operating system when the method returns and survives
   * the end of the process. Never throws.
   */
  log: (level: LogLevel, message: string, fields?: LogFields) => void
  debug: (message: string, fields?: LogFields) => void
  info: (message: string, fields?: LogFields) => void
  warn: (message: string, fields?: LogFields) => void
  error: (message: string, fields?: LogFields) => void
  fatal: (message: string, fields?: LogFields) => void
  /**
   * Sends pending entries and returns whether none is left. It does not shorten a pause that the
   * service has requested.
   */
  flush: () => Promise<boolean>
  stats: () => EdgeAgentStats
  /** Makes a last attempt for at most `timeoutMs` (default 5,000) and releases the folder. */
  close: (timeoutMs?: number) => Promise<void>
}
