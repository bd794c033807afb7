/**
 * Tracks whether the provider accepts requests of a kind, as this process sees it. While it is down, one
 * request at a time is tried with growing pauses, because each command that fails without a clear
 * answer costs a look-up at the provider later.
 */
import type { DispatchKind } from '../tables.ts'
import type { Outcome } from './job.ts'

export type Health = {
  /** @returns the new state of the provider when it changed */
  record(kind: DispatchKind, outcome: Outcome, nowMs: number): 'down' | 'up' | undefined
  /** Maximum number of requests in flight. */
  placesFor(kind: DispatchKind, nowMs: number): number
}

/** Number of consecutive failures after which the provider counts as down. */
const FAILURES = 3
const PAUSE_MS = 1000
const PAUSE_MAX_MS = 30_000

export function createHealth(): Health {
  const failing = new Map<DispatchKind, { times: number; quiet_until: number }>()
  return {
    record: (kind, outcome, nowMs) => {
      if (isInconclusive(outcome)) return undefined
      const { times, quiet_until } = failing.get(kind) ?? { times: 0, quiet_until: 0 }
      if (!isFailure(outcome)) {
        failing.delete(kind)
        return times >= FAILURES ? 'up' : undefined
      }
      // Requests that fail together count as one failure.
      if (nowMs < quiet_until) return undefined
      const pauses = times + 1 - FAILURES
      const pauseMs = pauses < 0 ? 0 : Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** pauses)
      failing.set(kind, { times: times + 1, quiet_until: nowMs + pauseMs })
      return pauses === 0 ? 'down' : undefined
    },
    placesFor: (kind, nowMs) => {
      const state = failing.get(kind)
      if (state === undefined || state.times < FAILURES) return Number.POSITIVE_INFINITY
      return nowMs < state.quiet_until ? 0 : 1
    },
  }
}

/** Whether the provider may not have been called: `rate_limited` can come from our own budget. */
const isInconclusive = (outcome: Outcome): boolean =>
  ['stopped', 'abandoned', 'expired'].includes(outcome.kind) ||
  (outcome.kind === 'fault' && outcome.fault.kind === 'rate_limited')

const isFailure = (outcome: Outcome): boolean =>
  outcome.kind === 'fault' &&
  (outcome.fault.kind === 'unavailable' || outcome.fault.kind === 'refused')
