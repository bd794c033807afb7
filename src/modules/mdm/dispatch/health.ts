/**
 * Whether the provider carries out requests of a kind, as this process sees it. While it is away only
 * one is tried now and then, for the sake of the others: of each command that was tried in vain the
 * provider has to be asked later whether it took it after all.
 */
import type { DispatchKind } from '../../../platform/postgres/tables/mdm.ts'
import type { Outcome } from './job.ts'

export type Health = {
  /** @returns `away` or `back` when that is new */
  note(kind: DispatchKind, outcome: Outcome, nowMs: number): 'away' | 'back' | undefined
  /** How many may be under way. */
  placesFor(kind: DispatchKind, nowMs: number): number
}

/** In a row, before it counts as away. */
const FAILURES = 3
const PAUSE_MS = 1000
const PAUSE_MAX_MS = 30_000

export function createHealth(): Health {
  const failing = new Map<DispatchKind, { times: number; quiet_until: number }>()
  return {
    note: (kind, outcome, nowMs) => {
      if (saysNothing(outcome)) return undefined
      const { times, quiet_until } = failing.get(kind) ?? { times: 0, quiet_until: 0 }
      if (!isAway(outcome)) {
        failing.delete(kind)
        return times >= FAILURES ? 'back' : undefined
      }
      // Of those that were under way together, one says as much as all.
      if (nowMs < quiet_until) return undefined
      const pauses = times + 1 - FAILURES
      const pauseMs = pauses < 0 ? 0 : Math.min(PAUSE_MAX_MS, PAUSE_MS * 2 ** pauses)
      failing.set(kind, { times: times + 1, quiet_until: nowMs + pauseMs })
      return pauses === 0 ? 'away' : undefined
    },
    placesFor: (kind, nowMs) => {
      const state = failing.get(kind)
      if (state === undefined || state.times < FAILURES) return Number.POSITIVE_INFINITY
      return nowMs < state.quiet_until ? 0 : 1
    },
  }
}

/** Of the provider, which was not asked: too many requests may also be our own count of them. */
const saysNothing = (outcome: Outcome): boolean =>
  ['stopped', 'abandoned', 'expired'].includes(outcome.kind) ||
  (outcome.kind === 'fault' && outcome.fault.kind === 'rate_limited')

const isAway = (outcome: Outcome): boolean =>
  outcome.kind === 'fault' &&
  (outcome.fault.kind === 'unavailable' || outcome.fault.kind === 'refused')
