export type { Evidence, EvidenceSignal } from './evidence.ts'
export {
  RISK_LEVELS,
  type RiskLevel,
  riskLevel,
  type Score,
  type SignalShare,
  type Strengths,
  score,
  strengthOf,
  WEIGHTS,
} from './scoring.ts'
