export {
  type Adjustment,
  type AdjustmentStep,
  adjustAll,
  type Cause,
  findingOf,
  type ShownAdjustment,
} from './adjustments.ts'
export { apportion } from './apportion.ts'
export {
  combinedProbability,
  RISK_LEVELS,
  type RiskLevel,
  riskLevel,
  scoreOf,
  scoresOf,
} from './combine.ts'
export type { Evidence, EvidenceSignal } from './evidence.ts'
export { type ExplainedSignal, explainSignals, strongestReason } from './explain.ts'
export {
  decisiveMatch,
  type ListMatch,
  listSteps,
} from './lists.ts'
export { recordOf } from './record-of.ts'
export {
  type SignalShare,
  score,
  strengthOf,
  WEIGHTS,
} from './scoring.ts'
export { type Curve, curve, interpolate, negativeBinomialTail, step } from './statistics.ts'
