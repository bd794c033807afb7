import {
  type Context,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import { ExportResultCode, parseTraceParent } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace-base'
import type { Log } from '../log.ts'
import { createRepeatedErrors } from '../repeated-errors.ts'
import type { FinishedSpan, Tracing, TracingOptions } from './span.ts'

const QUEUE_MAX = 2048
const BATCH_MAX = 512
const SEND_EVERY_MS = 2000
const SEND_TIMEOUT_MS = 10_000
const CLOSE_TIMEOUT_MS = 5000

export function createOtlpTracing({
  url,
  headers,
  percent,
  version,
  clock,
  log,
}: TracingOptions): Tracing {
  const exporter = new OTLPTraceExporter({
    url,
    headers: { ...headers },
    timeoutMillis: SEND_TIMEOUT_MS,
  })
  const processor = new BatchSpanProcessor(reporting(exporter, log), {
    maxQueueSize: QUEUE_MAX,
    maxExportBatchSize: BATCH_MAX,
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: SEND_TIMEOUT_MS,
  })
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({
      'service.name': 'vigil',
      'service.version': version,
      'process.pid': process.pid,
    }),
    // The flag of a caller does not count: anybody could have each of its requests recorded.
    sampler: new TraceIdRatioBasedSampler(percent / 100),
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer('vigil', version)
  return {
    record: (span) => {
      const ended_ms = clock.now().getTime()
      const options = {
        kind: span.kind === 'server' ? SpanKind.SERVER : SpanKind.CLIENT,
        startTime: ended_ms - span.duration_ms,
        attributes: span.attributes,
      }
      const recorded = tracer.startSpan(span.name, options, parentOf(span))
      if (span.is_error) recorded.setStatus({ code: SpanStatusCode.ERROR })
      recorded.end(ended_ms)
    },
    close: async () => {
      const late = new Promise<void>((resolve) => {
        setTimeout(resolve, CLOSE_TIMEOUT_MS).unref()
      })
      await Promise.race([provider.shutdown().catch(() => undefined), late])
    },
  }
}

function parentOf({ traceparent }: FinishedSpan): Context {
  const parent: SpanContext | null =
    traceparent === undefined ? null : parseTraceParent(traceparent)
  if (parent === null) return ROOT_CONTEXT
  return trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags: TraceFlags.NONE })
}

/** Reports spans that the collector did not take. They are lost, because traces are samples anyway. */
function reporting(exporter: SpanExporter, log: Log): SpanExporter {
  const errors = createRepeatedErrors(log)
  return {
    shutdown: () => exporter.shutdown(),
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code === ExportResultCode.FAILED) {
          errors.log(result.error, {}, 'traces could not be sent to VIGIL_TRACES_URL')
        }
        done(result)
      }),
  }
}
