/** Traces of requests and dispatches, sent to an OpenTelemetry collector. */
import type { Tracing, TracingOptions } from './span.ts'

export { type DispatchSpan, traced } from './dispatches.ts'
export type { FinishedSpan, Tracing } from './span.ts'

/** Loads the exporter only where it is used, because loading it takes time and memory. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { createOtlpTracing } = await import('./otlp.ts')
  return createOtlpTracing(options)
}
