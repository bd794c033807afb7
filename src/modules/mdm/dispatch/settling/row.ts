/** From an outcome to what is written of the dispatch itself. Pure: chance comes in. */
import { storable } from '../../../../platform/postgres/storable.ts'
import type { ClaimedDispatch } from '../claim/store.ts'
import type { Outcome } from '../job.ts'
import { isHopeless, retryOf } from './retry.ts'
import type { Attempt } from './settle.ts'
import type { SettledDispatch } from './store.ts'

/** Of attempts of which something is written. */
export const settledRows = (
  attempts: readonly Attempt[],
  random: () => number,
): SettledDispatch[] =>
  attempts.flatMap(({ job, outcome }) => settledRow(job.claim, outcome, random()) ?? [])

/** @returns undefined when nothing is written: the lease ends by itself */
export function settledRow(
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
      // A device that was to be wiped is not forgotten, whatever the provider says about it.
      const is_done = isHopeless(fault) && claim.kind !== 'delete_device'
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
