import type { FinishedSpan, Tracing } from './span.ts'

type Send<Job, Outcome> = (job: Job, signal: AbortSignal) => Promise<Outcome>

export type DispatchSpan = Pick<FinishedSpan, 'name' | 'attributes' | 'is_error'>

/** Records a span for each attempt to send a job. Without tracing, `send` stays as it is. */
export function traced<Job, Outcome>(
  tracing: Tracing | undefined,
  send: Send<Job, Outcome>,
  describe: (job: Job, outcome: Outcome) => DispatchSpan,
): Send<Job, Outcome> {
  if (tracing === undefined) return send
  return async (job, signal) => {
    const began = performance.now()
    const outcome = await send(job, signal)
    const duration_ms = performance.now() - began
    tracing.record({ ...describe(job, outcome), kind: 'client', duration_ms })
    return outcome
  }
}
