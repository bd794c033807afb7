/**
 * From findings to the score: a capped noisy-OR, score = 100 · (1 − Π(1 − w·s/100)). Monotone, no
 * weak signals piling up, and each signal's share of the score can be told (fraud research 3.9).
 */
import type { Evidence, EvidenceSignal } from './evidence.ts'

export const RISK_LEVELS = ['low', 'medium', 'high', 'critical'] as const
export type RiskLevel = (typeof RISK_LEVELS)[number]

/** How much of the score a certain signal can make on its own. */
export const WEIGHTS: Record<EvidenceSignal, number> = {
  domain_age: 0.55,
  mx: 0.75,
  disposable: 0.9,
  velocity: 0.8,
  phone: 0.95,
  device: 0.8,
  ip: 0.4,
}

const SIGNALS = Object.keys(WEIGHTS) as EvidenceSignal[]

export type SignalShare = {
  signal: EvidenceSignal
  /** Strength of the signal, 0-100: that of its strongest finding. */
  strength: number
  weight: number
  /** Part of the score that this signal accounts for; the shares add up to 1. */
  share: number
}

export type Score = { risk_score: number; risk_level: RiskLevel; shares: SignalShare[] }

export type Strengths = Partial<Record<EvidenceSignal, number>>

/** @param floor least score whatever the signals say, for what cannot be argued with (0-100) */
export function score(strengths: Strengths, floor: number): Score {
  const parts = SIGNALS.flatMap((signal) => {
    const strength = strengths[signal] ?? 0
    if (strength === 0) return []
    const weight = WEIGHTS[signal]
    return [{ signal, strength, weight, surprise: -Math.log1p((-weight * strength) / 100) }]
  })
  const total = parts.reduce((sum, { surprise }) => sum + surprise, 0)
  const combined = Math.round(100 * (1 - Math.exp(-total)))
  const risk_score = Math.min(100, Math.max(floor, combined))
  const shares = parts
    .map(({ surprise, ...part }) => ({ ...part, share: surprise / total }))
    .toSorted((a, b) => b.share - a.share)
  return { risk_score, risk_level: riskLevel(risk_score), shares }
}

/** Specification, "Risk scale": low 0-24, medium 25-49, high 50-69, critical 70-100. */
export function riskLevel(riskScore: number): RiskLevel {
  if (riskScore >= 70) return 'critical'
  if (riskScore >= 50) return 'high'
  return riskScore >= 25 ? 'medium' : 'low'
}

/** Strength of one signal: that of its strongest finding, 0 when nothing is known. */
export function strengthOf(evidence: readonly Evidence[], signal: EvidenceSignal): number {
  return evidence.reduce((most, e) => (e.signal === signal ? Math.max(most, e.score) : most), 0)
}
