/** What a decision says about the identities that its subject was seen with. */
import { fade } from '../reputation/index.ts'
import type { Label } from './subject.ts'

/** @returns weights to add to the opinion of the organisation; negative is taken back */
export function opinionOf(
  { decision, decided_at }: Label,
  previous: Label | undefined,
): { bad: number; good: number } {
  const weight = { confirmed_fraud: 0, legitimate: 0 }
  weight[decision] += 1
  // What the former decision added has faded since.
  if (previous) weight[previous.decision] -= fade(1, previous.decided_at, decided_at)
  return { bad: weight.confirmed_fraud, good: weight.legitimate }
}
