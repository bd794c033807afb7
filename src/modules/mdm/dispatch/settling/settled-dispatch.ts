/** Derives the new state of a dispatch from the outcome of an attempt. */
import { storable } from '../../../../platform/postgres/storable.ts'
import type { ClaimedDispatch } from '../claim.store.ts'
import type { Attempt, Outcome } from '../job.ts'
import { isPermanent, retryOf } from './retry.ts'
import type { SettledDispatch } from './store.ts'

export const settledDispatches = (
  attempts: readonly Attempt[],
  random: () => number,
): SettledDispatch[] =>
  attempts.flatMap(({ job, outcome }) => settledDispatch(job.claim, outcome, random()) ?? [])

/** @returns undefined when the dispatch is left to the expiry of its lease */
export function settledDispatch(
  claim: ClaimedDispatch,
  outcome: Outcome,
  random: number,
): SettledDispatch | undefined {
  switch (outcome.kind) {
    case 'abandoned':
      return undefined
    case 'stopped':
      return { ...claim, is_done: false, delay_ms: 0 }
    case 'fault': {
      const { fault } = outcome
      // The request to wipe a device is never given up, even when the provider rejects it.
      const is_done = isPermanent(fault) && claim.kind !== 'delete_device'
      const retry = retryOf(fault, claim.attempts, random)
      return { ...claim, ...retry, error: storable(fault.message), is_done }
    }
    case 'published':
    case 'assigned':
    case 'deleted':
    case 'accepted':
    case 'expired':
      return { ...claim, is_done: true, delay_ms: 0 }
  }
}
