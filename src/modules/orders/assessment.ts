/**
 * Compact stored form of an order's assessment. It omits everything that can be derived, because it
 * is written with every order and rarely read.
 */
import { type Adjustment, recordOf, riskLevel } from '../risk/index.ts'
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
  /** What custom rules and lists have changed about the score, in the sequence of the changes. */
  adjustments: readonly Adjustment[]
  /** What rules in shadow would have changed. */
  shadows: readonly Adjustment[]
  /** Version of the organization's rules that scored the order; 0 for the defaults. */
  rules_version: number
}

/** Score, finding and numbers of a signal, without trailing empty members. */
type StoredSignal = [score: number, finding?: string | null, numbers?: Numbers]

export type StoredAssessment = {
  context: OrderContext
  flags?: OrderRisk['flags']
  rules_version?: number
  adjustments?: readonly Adjustment[]
  shadows?: readonly Adjustment[]
  signals: Record<OrderSignal, StoredSignal>
}

export function storedAssessment({
  context,
  risk,
  measurements,
  adjustments,
  shadows,
  rules_version,
}: Assessed): StoredAssessment {
  const signals = recordOf(ORDER_SIGNALS, (signal) => storedSignal(measurements[signal]))
  const stored: StoredAssessment = { context, signals }
  if (risk.flags.length > 0) stored.flags = risk.flags
  if (rules_version > 0) stored.rules_version = rules_version
  if (adjustments.length > 0) stored.adjustments = adjustments
  if (shadows.length > 0) stored.shadows = shadows
  return stored
}

function storedSignal({ score, finding, numbers }: Measurements[OrderSignal]): StoredSignal {
  for (const _ in numbers) return [score, finding, numbers]
  return finding === null ? [score] : [score, finding]
}

export function readAssessment(risk_score: number, assessment: StoredAssessment): Assessed {
  const { context, flags = [], signals, rules_version = 0 } = assessment
  const { adjustments = [], shadows = [] } = assessment
  const measurements = recordOf(ORDER_SIGNALS, (signal) => {
    const [score, finding = null, numbers = {}] = signals[signal]
    return { score, finding, numbers }
  })
  const risk: OrderRisk = {
    risk_score,
    risk_level: riskLevel(risk_score),
    signals: recordOf(ORDER_SIGNALS, (signal) => signals[signal][0]),
    flags,
    flagged_for_review: risk_score >= REVIEW_SCORE,
  }
  return { context, risk, measurements, adjustments, shadows, rules_version }
}
