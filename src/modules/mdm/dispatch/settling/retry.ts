/** Decides whether and when a failed dispatch is retried. */
import { retryDelayMs } from '../../../../platform/dispatch/index.ts'
import { MINUTE_MS, SECOND_MS } from '../../../../platform/time-units.ts'
import type { ProviderFault } from '../../providers/port.ts'

/** After the last delay, retries go on every half hour without end. */
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

/** Whether the request itself is wrong, so that a retry cannot succeed. */
export const isPermanent = ({ kind, is_ambiguous }: ProviderFault): boolean =>
  (kind === 'rejected' || kind === 'not_found') && !is_ambiguous

export type Retry = {
  delay_ms: number
  /** A request that was rate limited does not count as a failed attempt. */
  attempts: number
}

/**
 * @param attempts number of failed attempts before this one
 * @param random from 0 up to, but not including, 1
 */
export function retryOf(fault: ProviderFault, attempts: number, random: number): Retry {
  if (fault.kind === 'rate_limited') {
    const requestedMs = (fault.retry_after_s ?? RETRY_AFTER_S) * SECOND_MS
    // The jitter keeps requests that were refused together from returning together.
    return { delay_ms: Math.round(requestedMs * (1 + JITTER * random)), attempts }
  }
  const failed = attempts + 1
  const delay_ms = retryDelayMs({
    schedule_ms: SCHEDULE_MS,
    attempts: Math.min(failed, SCHEDULE_MS.length),
    random,
    retry_after_s: fault.retry_after_s,
  })
  return { delay_ms: delay_ms ?? SCHEDULE_MS[5], attempts: failed }
}
