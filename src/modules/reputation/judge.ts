/**
 * What the opinions of organisations make of an identity. Opinions fade; what one organisation says
 * counts fully for itself, and for others only once a second organisation agrees, so that nobody can
 * spoil an identity for everybody (fraud research 3.7).
 */
export type Reputation = {
  /** Strength 0-100, of the own opinion or that of the others, whichever is stronger. */
  score: number
  /** Strength 0-100 of what the others say, as far as the own opinion lets it count. */
  shared: number
  /** Balance of the own opinion: positive is bad, negative is good. */
  own: number
  /** How many other organisations find it bad. */
  others: number
}

export type Opinion = { is_own: boolean; bad: number; good: number; updated_at: Date }

export const HALF_LIFE_DAYS = 75
/** No organisation weighs more than this, however often it says the same. */
export const WEIGHT_MAX = 3

const OWN_SCORE_MAX = 90
/** Score by the number of other organisations that agree. */
const SHARED_SCORES = [0, 30, 60, 80]
const AGREEMENT_MIN = 0.5

/** @returns strengths 0-100 and the numbers behind them */
export function judge(opinions: readonly Opinion[], now: Date): Reputation {
  let own = 0
  let others = 0
  for (const opinion of opinions) {
    const balance = fade(opinion.bad - opinion.good, opinion.updated_at, now)
    if (opinion.is_own) own = balance
    else if (balance >= AGREEMENT_MIN) others += 1
  }
  const ownScore = OWN_SCORE_MAX * Math.min(1, Math.max(0, own))
  const agreeing = others + (others > 0 && own >= AGREEMENT_MIN ? 1 : 0)
  const agreed = SHARED_SCORES[Math.min(agreeing, SHARED_SCORES.length - 1)] ?? 0
  // An organisation that knows the identity as good does not take the word of others for it.
  const shared = own <= -AGREEMENT_MIN ? 0 : agreed
  return { score: Math.round(Math.max(ownScore, shared)), shared, own, others }
}

/** What is left of a weight after the time between; a clock that differs takes nothing away. */
export function fade(weight: number, at: Date, now: Date): number {
  const days = Math.max(0, now.getTime() - at.getTime()) / 86_400_000
  return weight * 0.5 ** (days / HALF_LIFE_DAYS)
}
