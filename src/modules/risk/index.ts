export { apportion } from './apportion.ts'
export {
  type Combined,
  combine,
  combinedProbability,
  RISK_LEVELS,
  type RiskLevel,
  riskLevel,
  type Share,
  scoreOf,
  scoresOf,
  type Weights,
} from './combine.ts'
export type { Evidence, EvidenceSignal } from './evidence.ts'
export {
  type Score,
  type SignalShare,
  type Strengths,
  score,
  strengthOf,
  WEIGHTS,
} from './scoring.ts'
export { type Curve, interpolate, negativeBinomialTail } from './statistics.ts'
