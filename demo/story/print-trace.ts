/** Traces of receipts that could not be printed: what the printer did with the job before it failed. */
import type { Random } from '../../src/platform/random.ts'
import type { LogEntry } from './log-lines.ts'

const STEPS = [
  { before_ms: 840, span_id: '00f067aa0ba90201', message: 'Receipt received from the till' },
  { before_ms: 310, span_id: '00f067aa0ba90202', message: 'Receipt rendered' },
]
const FAILED_SPAN = '00f067aa0ba90203'
const HEX_MAX = 0xffff_ffff

export function traceOf(random: Random): Required<Pick<LogEntry, 'trace_id' | 'span_id'>> {
  const part = () => random.integer(0, HEX_MAX).toString(16).padStart(8, '0')
  return { trace_id: part() + part() + part() + part(), span_id: FAILED_SPAN }
}

/** An entry without a trace stays alone. */
export function withEarlierSteps(entry: LogEntry): LogEntry[] {
  const { trace_id, device_id, category, environment } = entry
  if (trace_id === undefined) return [entry]
  const steps = STEPS.map(({ before_ms, ...step }) => ({
    ...step,
    trace_id,
    device_id,
    category,
    environment,
    level: 'info' as const,
    timestamp: new Date(Date.parse(entry.timestamp) - before_ms).toISOString(),
  }))
  return [...steps, entry]
}
