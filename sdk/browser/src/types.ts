/**
 * The public types: what a page hands in and what goes over the wire. This file imports nothing,
 * because the build gives it out as the type declarations of the package.
 */

/** `true` is `'granted'`; `false` says no and removes what an earlier yes has left in the browser. */
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
  /** ISO 8601, by the clock of the browser. */
  timestamp: string
  /** Of a `view` the page itself, of any other event the page on which it happened. */
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
  /** A value under the same `id` replaces the one before. Milliseconds, but CLS has no unit. */
  vital?: { name: 'LCP' | 'INP' | 'CLS' | 'FCP' | 'TTFB'; value: number; id: string }
  long_task?: { duration_ms: number }
  log?: { level: LogLevel; message: string }
  app_version?: string
  environment?: string
}

export type RumOptions = {
  /** With the version, without a slash at the end: `https://vigil.example.com/v1`. */
  base_url: string
  /** A public key, `pk_live_…` or `pk_test_…`. Secret keys are refused. */
  api_key: string
  /** Share of sessions that are recorded, 0 to 1. Default 1. */
  sample_rate?: number
  /** Default `'granted'`. While it is `'pending'` nothing is recorded, stored or sent. */
  consent?: Consent
  app_version?: string
  environment?: string
  /** How long events wait for others, 5,000 to 30,000 ms. Default 10,000. */
  flush_ms?: number
  /** May change the event; whatever is not an event as an answer drops it, and so does a throw. */
  beforeSend?: (event: RumEvent) => RumEvent | null | false | undefined
}

export type RumHandle = {
  setConsent: (consent: Consent) => void
  /** A page view under a name of your own, for example the pattern of the route. */
  view: (name: string) => void
  action: (type: string, target?: string) => void
  error: (error: unknown) => void
  log: (level: LogLevel, message: string) => void
  /** Sends what waits now instead of with the next batch. */
  flush: () => void
  /** Sends what waits, takes all hooks out of the page and records nothing more. */
  stop: () => void
}
