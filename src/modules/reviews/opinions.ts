/** Derives the change of opinion about a subject's identities from a decision. */
import { fade } from '../reputation/index.ts'
import type { Label } from './subject.ts'

/**
 * Share of a fraud that counts for other organizations when the subject was not flagged: one such
 * decision alone is not yet an agreement. Nothing but the word of the organization supports it.
 */
const UNFLAGGED_SHARE = 0.4

/** @returns weights to add to the opinion of the organization; negative ones take back */
export function opinionOf(
  { decision, decided_at }: Label,
  previous: Label | undefined,
  wasFlagged: boolean,
): { bad: number; good: number; shared_bad: number } {
  const weight = { confirmed_fraud: 0, legitimate: 0 }
  weight[decision] += 1
  // The weight of the previous decision has decayed since.
  if (previous) weight[previous.decision] -= fade(1, previous.decided_at, decided_at)
  const bad = weight.confirmed_fraud
  return { bad, good: weight.legitimate, shared_bad: bad * (wasFlagged ? 1 : UNFLAGGED_SHARE) }
}
