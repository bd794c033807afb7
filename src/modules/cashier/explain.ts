/** Explains the score of a cashier action. */
import { type ExplainedSignal, explainSignals, strongestReason } from '../risk/index.ts'
import type { CashierFraud } from './schema.ts'
import { CASHIER_PARAMETERS, type CashierSignal } from './scoring/parameters.ts'
import type { ScoredAction } from './scoring/scoring.ts'
import { cashierSentence as sentenceOf } from './sentences.ts'

const { weights } = CASHIER_PARAMETERS

export const explainAction = (
  { signals }: Pick<CashierFraud, 'signals'>,
  measurements: ScoredAction['measurements'],
): ExplainedSignal<CashierSignal>[] =>
  explainSignals({ weights, signals, measurements, sentenceOf })

export const reasonOf = (fraud: CashierFraud, measurements: ScoredAction['measurements']): string =>
  strongestReason(fraud.risk_score, explainAction(fraud, measurements))
