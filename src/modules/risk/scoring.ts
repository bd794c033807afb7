import { combine, type RiskLevel, type Share } from './combine.ts'
import type { Evidence, EvidenceSignal } from './evidence.ts'

/** Part of the score that each signal can reach alone at full strength. */
export const WEIGHTS: Record<EvidenceSignal, number> = {
  domain_age: 0.55,
  mx: 0.75,
  disposable: 0.9,
  velocity: 0.8,
  phone: 0.95,
  device: 0.8,
  ip: 0.4,
}

export type SignalShare = Share<EvidenceSignal>

export type Score = { risk_score: number; risk_level: RiskLevel; shares: SignalShare[] }

export type Strengths = Partial<Record<EvidenceSignal, number>>

/** @param floor minimum score regardless of the signals, 0-100 */
export function score(strengths: Strengths, floor: number): Score {
  return combine(WEIGHTS, strengths, floor)
}

/** Returns the strength of a signal's strongest finding; 0 without findings. */
export function strengthOf(evidence: readonly Evidence[], signal: EvidenceSignal): number {
  return evidence.reduce((most, e) => (e.signal === signal ? Math.max(most, e.score) : most), 0)
}
