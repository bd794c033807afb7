/** Whether and when what was not done is tried again. Pure: chance comes in. */
import { retryDelayMs } from '../../../../platform/dispatch/index.ts'
import type { ProviderFault } from '../../providers/port.ts'

const SECOND_MS = 1000
const MINUTE_MS = 60_000
/** Then each half hour, for ever: what has to reach the provider is wanted until it has. */
const SCHEDULE_MS = [
  5 * SECOND_MS,
  15 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  15 * MINUTE_MS,
  30 * MINUTE_MS,
] as const
const RETRY_AFTER_S = 60
const JITTER = 0.2

/** What was sent is wrong and will stay so; trying it again would be in vain. */
export const isHopeless = ({ kind, is_ambiguous }: ProviderFault): boolean =>
  (kind === 'rejected' || kind === 'not_found') && !is_ambiguous

export type Retry = {
  delay_ms: number
  /** Being told to wait is no failed attempt. */
  attempts: number
}

/**
 * @param attempts failed ones before this
 * @param random from 0 up to, not including, 1
 */
export function retryOf(fault: ProviderFault, attempts: number, random: number): Retry {
  if (fault.kind === 'rate_limited') {
    const wished = (fault.retry_after_s ?? RETRY_AFTER_S) * SECOND_MS
    // All that were refused together do not come back together.
    return { delay_ms: Math.round(wished * (1 + JITTER * random)), attempts }
  }
  const made = attempts + 1
  const question = {
    schedule_ms: SCHEDULE_MS,
    attempts: Math.min(made, SCHEDULE_MS.length),
    random,
  }
  const delay_ms = retryDelayMs({ ...question, retry_after_s: fault.retry_after_s })
  return { delay_ms: delay_ms ?? SCHEDULE_MS[5], attempts: made }
}
