/**
 * How the assessment of an order is stored: without what follows from the rest, because it is
 * written with every order and rarely read.
 */
import { riskLevel } from '../risk/index.ts'
import type { OrderContext } from './facts.ts'
import type { OrderRisk } from './schema.ts'
import { REVIEW_SCORE, type ScoredOrder } from './scoring/scoring.ts'
import { ORDER_SIGNALS, type OrderSignal } from './scoring/signals.ts'

type Measurements = ScoredOrder['measurements']
type Numbers = Measurements[OrderSignal]['numbers']

export type Assessed = {
  context: OrderContext
  risk: OrderRisk
  measurements: Measurements
  /** Of the organisation's rules that scored it; 0 for the defaults. */
  rules_version: number
}

/** Score, finding and numbers of each signal; what is empty at the end is left out. */
type StoredSignal = [score: number, finding?: string | null, numbers?: Numbers]

export type StoredAssessment = {
  context: OrderContext
  flags?: OrderRisk['flags']
  rules_version?: number
  signals: Record<OrderSignal, StoredSignal>
}

export function storedAssessment({
  context,
  risk,
  measurements,
  rules_version,
}: Assessed): StoredAssessment {
  const signals: Partial<StoredAssessment['signals']> = {}
  for (const signal of ORDER_SIGNALS) signals[signal] = storedSignal(measurements[signal])
  const stored: StoredAssessment = { context, signals: signals as StoredAssessment['signals'] }
  if (risk.flags.length > 0) stored.flags = risk.flags
  if (rules_version > 0) stored.rules_version = rules_version
  return stored
}

function storedSignal({ score, finding, numbers }: Measurements[OrderSignal]): StoredSignal {
  for (const _ in numbers) return [score, finding, numbers]
  return finding === null ? [score] : [score, finding]
}

export function readAssessment(
  risk_score: number,
  { context, flags = [], signals, rules_version = 0 }: StoredAssessment,
): Assessed {
  const measurements: Partial<Measurements> = {}
  const strengths: Partial<OrderRisk['signals']> = {}
  for (const signal of ORDER_SIGNALS) {
    const [score, finding = null, numbers = {}] = signals[signal]
    measurements[signal] = { score, finding, numbers }
    strengths[signal] = score
  }
  const risk: OrderRisk = {
    risk_score,
    risk_level: riskLevel(risk_score),
    signals: strengths as OrderRisk['signals'],
    flags,
    flagged_for_review: risk_score >= REVIEW_SCORE,
  }
  return { context, risk, measurements: measurements as Measurements, rules_version }
}
