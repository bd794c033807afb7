/**
 * The capped noisy-OR behind every score: 100 · (1 − Π(1 − w·s/100)). It is monotone, weak signals
 * do not pile up, and each signal's share of the score can be explained (fraud research 3.9).
 */
export type Weights<Signal extends string> = Readonly<Record<Signal, number>>

export type Share<Signal extends string> = {
  signal: Signal
  /** Strength of the signal's strongest finding, 0-100. */
  strength: number
  weight: number
  /** Part of the score that the signal accounts for; the shares add up to 1. */
  share: number
}

export type Combined<Signal extends string> = {
  risk_score: number
  risk_level: RiskLevel
  /** Largest share first, without signals of strength 0. */
  shares: Share<Signal>[]
}

/**
 * @param weights part of the score that each signal can reach alone at full strength, 0-1
 * @param strengths 0-100 each
 * @param floor minimum score regardless of the signals, 0-100
 */
export function combine<Signal extends string>(
  weights: Weights<Signal>,
  strengths: Readonly<Partial<Record<Signal, number>>>,
  floor: number,
): Combined<Signal> {
  const parts = signalsOf(weights).flatMap((signal) => {
    const strength = strengths[signal] ?? 0
    if (strength === 0) return []
    const weight = weights[signal]
    return [{ signal, strength, weight, surprise: surpriseOf(weight, strength) }]
  })
  const total = parts.reduce((sum, { surprise }) => sum + surprise, 0)
  const risk_score = scoreOf(probabilityOf(total), floor)
  const shares = parts
    .map(({ surprise, ...part }) => ({ ...part, share: surprise / total }))
    .toSorted((a, b) => b.share - a.share)
  return { risk_score, risk_level: riskLevel(risk_score), shares }
}

/** Returns only the probability, 0-1, for hot paths that need no shares. */
export function combinedProbability<Signal extends string>(
  weights: Weights<Signal>,
  strengths: Readonly<Record<Signal, number>>,
): number {
  let total = 0
  for (const signal in strengths) {
    const strength = strengths[signal]
    if (strength > 0) total += surpriseOf(weights[signal], strength)
  }
  return probabilityOf(total)
}

/** Returns an integer of 0-100 (specification, "Risk scale"). */
export function scoreOf(probability: number, floor: number): number {
  return Math.min(100, Math.max(floor, Math.round(100 * probability)))
}

export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const
export type RiskLevel = (typeof RISK_LEVELS)[number]

/** Low 0-24, medium 25-49, high 50-69, critical 70-100 (specification, "Risk scale"). */
export function riskLevel(riskScore: number): RiskLevel {
  if (riskScore >= 70) return 'critical'
  if (riskScore >= 50) return 'high'
  return riskScore >= 25 ? 'medium' : 'low'
}

/** Returns the lowest and highest score of a level. */
export function scoresOf(level: RiskLevel): readonly [least: number, most: number] {
  return SCORES[level]
}

const SCORES: Readonly<Record<RiskLevel, readonly [number, number]>> = {
  low: [0, 24],
  medium: [25, 49],
  high: [50, 69],
  critical: [70, 100],
}

const signalsOf = <Signal extends string>(weights: Weights<Signal>): Signal[] =>
  Object.keys(weights) as Signal[]

const surpriseOf = (weight: number, strength: number): number =>
  -Math.log1p((-weight * strength) / 100)

const probabilityOf = (surprise: number): number => 1 - Math.exp(-surprise)
