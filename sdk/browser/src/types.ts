/**
 * The public types: the options of a page and the events that are sent. This file imports nothing,
 * because the build publishes it as the type declarations of the package.
 */

/**
 * `true` is equivalent to `'granted'`. `false` denies consent and removes data that an earlier consent
 * left in the browser.
 */
export type Consent = boolean | 'granted' | 'pending'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'fatal'

export type RumView = { name: string; url: string; referrer?: string }

export type RumEvent = {
  type:
    | 'session_start'
    | 'session_end'
    | 'view'
    | 'action'
    | 'error'
    | 'resource'
    | 'vital'
    | 'long_task'
    | 'log'
  /** Time of the browser in ISO 8601. */
  timestamp: string
  /** The page that is viewed, or for any other event the page on which it occurred. */
  view?: RumView
  action?: { type: string; target?: string }
  error?: { message: string; stack?: string; type?: string }
  resource?: {
    url: string
    initiator?: string
    status?: number
    duration_ms?: number
    size_bytes?: number
  }
  /** A value with the same `id` replaces the previous one. In milliseconds, except CLS without a unit. */
  vital?: { name: 'LCP' | 'INP' | 'CLS' | 'FCP' | 'TTFB'; value: number; id: string }
  long_task?: { duration_ms: number }
  log?: { level: LogLevel; message: string }
  app_version?: string
  environment?: string
}

export type RumOptions = {
  /** URL of the service with the version: `https://vigil.example.com/v1`. */
  base_url: string
  /** A public key, `pk_live_…` or `pk_test_…`. Secret keys are refused. */
  api_key: string
  /** Share of sessions that are recorded, 0 to 1. Default 1. */
  sample_rate?: number
  /** Default `'granted'`. With `'pending'`, nothing is recorded, stored or sent. */
  consent?: Consent
  app_version?: string
  environment?: string
  /** Maximum time for which events are collected into a batch, 5,000 to 30,000 ms. Default 10,000. */
  flush_ms?: number
  /** Can change an event. Any other return value than an event drops it, and so does an exception. */
  beforeSend?: (event: RumEvent) => RumEvent | null | false | undefined
}

export type RumHandle = {
  setConsent: (consent: Consent) => void
  /** Records a page view under a name of your choice, for example the pattern of the route. */
  view: (name: string) => void
  action: (type: string, target?: string) => void
  error: (error: unknown) => void
  log: (level: LogLevel, message: string) => void
  /** Sends pending events immediately. */
  flush: () => void
  /** Sends pending events, removes all hooks from the page and stops recording. */
  stop: () => void
}
