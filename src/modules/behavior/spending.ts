/**
 * Spending of a young profile: the decayed sum of its amounts, because a bust-out can be split into
 * ordinary ones. In units of a usual order of the organization, so that currencies add up.
 */
import { DAY_MS } from '../../platform/time-units.ts'
import { decay, round } from './numbers.ts'

export type SpendingState = {
  /** Time of the latest order in ms */
  readonly at: number
  /** Decayed sum, half-life 1 day */
  readonly sum: number
}

export function learnSpending(
  state: SpendingState | undefined,
  amount: number,
  at_ms: number,
): SpendingState {
  const at = Math.max(state?.at ?? at_ms, at_ms)
  const sum = spendingAt(state, at) + Math.max(0, amount) * decay(at - at_ms, DAY_MS)
  return { at, sum: round(Math.min(SUM_MAX, sum)) }
}

/** Keeps the numbers exact; far beyond any amount that is usual anywhere. */
const SUM_MAX = 1e9

export function spendingAt(state: SpendingState | undefined, at_ms: number): number {
  return state === undefined ? 0 : state.sum * decay(at_ms - state.at, DAY_MS)
}
