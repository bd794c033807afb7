/**
 * What reports make of a phone number. Reports fade; what one organisation says counts fully for
 * itself, and for others only once a second organisation agrees, so that nobody can spoil a number
 * for everybody (fraud research 3.7).
 */
import type { ReportOutcome } from './schema.ts'

export type Reputation = { score: number; own: number; others: number }

export type Opinion = { is_own: boolean; bad: number; good: number; updated_at: Date }

export const HALF_LIFE_DAYS = 75
/** No organisation weighs more than this, however often it reports. */
export const WEIGHT_MAX = 3

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

const OWN_SCORE_MAX = 90
/** Score by the number of other organisations that agree. */
const SHARED_SCORES = [0, 30, 60, 80]
const AGREEMENT_MIN = 0.5

/** @returns strength 0-100 and the numbers behind it */
export function judge(opinions: readonly Opinion[], now: Date): Reputation {
  let own = 0
  let others = 0
  for (const opinion of opinions) {
    const balance = faded(opinion.bad - opinion.good, opinion.updated_at, now)
    if (opinion.is_own) own = balance
    else if (balance >= AGREEMENT_MIN) others += 1
  }
  const ownScore = OWN_SCORE_MAX * Math.min(1, Math.max(0, own))
  const agreeing = others + (others > 0 && own >= AGREEMENT_MIN ? 1 : 0)
  const shared = SHARED_SCORES[Math.min(agreeing, SHARED_SCORES.length - 1)] ?? 0
  // An organisation that knows the number as good does not take the word of others for it.
  const sharedScore = own <= -AGREEMENT_MIN ? 0 : shared
  return { score: Math.round(Math.max(ownScore, sharedScore)), own, others }
}

function faded(weight: number, at: Date, now: Date): number {
  const days = Math.max(0, now.getTime() - at.getTime()) / 86_400_000
  return weight * 0.5 ** (days / HALF_LIFE_DAYS)
}
