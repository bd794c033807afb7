import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'

/** A span that ends now. */
export type FinishedSpan = {
  name: string
  /** `server` for requests to the service, `client` for what it sends to other systems. */
  kind: 'server' | 'client'
  duration_ms: number
  attributes: Record<string, string | number>
  is_error: boolean
  /** Header of the caller that the span continues (W3C Trace Context). Its sampling flag is ignored. */
  traceparent?: string | undefined
}

export type Tracing = {
  /** Cheap: a span that is not sampled is dropped, and so are spans that exceed the queue. */
  record(span: FinishedSpan): void
  /** Sends what is queued, for five seconds at most. */
  close(): Promise<void>
}

export type TracingOptions = {
  /** OTLP over HTTP, for example `http://localhost:4318/v1/traces`. */
  url: string
  headers: Readonly<Record<string, string>>
  /** Percentage of traces that are recorded. */
  percent: number
  version: string
  clock: Clock
  log: Log
}
