/** Explains the score of a cashier action. */
import { cashierReason } from '../reasons/index.ts'
import { type ExplainedSignal, explainSignals, strongestReason } from '../risk/index.ts'
import type { CashierFraud } from './schema.ts'
import { CASHIER_PARAMETERS, type CashierSignal } from './scoring/parameters.ts'
import type { ScoredAction } from './scoring/scoring.ts'

const { weights } = CASHIER_PARAMETERS

export function explainAction(
  { risk_score, signals }: Pick<CashierFraud, 'risk_score' | 'signals'>,
  measurements: ScoredAction['measurements'],
): ExplainedSignal<CashierSignal>[] {
  // Refunds are the only amounts in reasons, and this signal states the currency of each.
  const { currency } = measurements.round_number_refund.numbers
  const known = typeof currency === 'string' ? currency : undefined
  const sentenceOf = (finding: string, numbers: Readonly<Record<string, number | string>>) =>
    cashierReason(finding, numbers, known)
  return explainSignals({ risk_score, weights, signals, measurements, sentenceOf })
}

export const reasonOf = (fraud: CashierFraud, measurements: ScoredAction['measurements']): string =>
  strongestReason(fraud.risk_score, explainAction(fraud, measurements))
