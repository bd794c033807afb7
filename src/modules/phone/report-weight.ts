/** The weight of an outcome report in the reputation of its number. */
import type { ReportOutcome } from './schema.ts'

const OUTCOME_WEIGHTS: Record<ReportOutcome, { bad: number; good: number }> = {
  fraud: { bad: 1, good: 0 },
  sim_swap_fraud: { bad: 1, good: 0 },
  account_takeover: { bad: 1, good: 0 },
  spam: { bad: 0.5, good: 0 },
  bot: { bad: 0.5, good: 0 },
  legitimate: { bad: 0, good: 1 },
}

/** @param confidence 0-100 */
export function weightOf(
  outcome: ReportOutcome,
  confidence: number,
): { bad: number; good: number } {
  const { bad, good } = OUTCOME_WEIGHTS[outcome]
  return { bad: (bad * confidence) / 100, good: (good * confidence) / 100 }
}
