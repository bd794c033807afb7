/** Traces of requests and dispatches, sent to an OpenTelemetry collector. */
import type { Tracing, TracingOptions } from './span.ts'

export { type DispatchSpan, traced } from './dispatches.ts'
export type { FinishedSpan, Tracing } from './span.ts'

/** Loads the exporter only where it is used, because loading it takes time and memory. */
export async function openTracing(options: TracingOptions): Promise<Tracing> {
  const { createOtlpTracing } = await import('./otlp.ts')
  return createOtlpTracing(options)
}

/** @param text `NAME=VALUE`, separated by commas */
export function readHeaders(text: string | undefined): Record<string, string> {
  const pairs = (text ?? '').split(',').filter((pair) => pair.trim() !== '')
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.indexOf('=')
      return [pair.slice(0, end).trim(), pair.slice(end + 1).trim()]
    }),
  )
}

/** @returns whether each pair has a name that HTTP allows, and a value */
export const areHeaders = (text: string): boolean =>
  text.split(',').every((pair) => /^\s*[!#$%&'*+.^_`|~\w-]+=\s*[\x21-\x7e][\x20-\x7e]*$/.test(pair))
