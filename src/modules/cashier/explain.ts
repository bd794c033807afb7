/** Why a cashier action got its score, for people: each signal with its finding and its share. */
import { combine } from '../risk/index.ts'
import type { ExplainedCashierSignal } from './reading/schema.ts'
import type { CashierFraud } from './schema.ts'
import { CASHIER_PARAMETERS, CASHIER_SIGNALS } from './scoring/parameters.ts'
import type { ScoredAction } from './scoring/scoring.ts'
import { cashierSentence } from './sentences.ts'

type Measurements = ScoredAction['measurements']

/** All seven, those that made most of the score first. */
export function explainAction(
  { signals }: Pick<CashierFraud, 'signals'>,
  measurements: Measurements,
): ExplainedCashierSignal[] {
  const { weights } = CASHIER_PARAMETERS
  const { shares } = combine(weights, signals, 0)
  const shareOf = new Map(shares.map(({ signal, share }) => [signal, share]))
  return CASHIER_SIGNALS.map((signal) => {
    const { finding, numbers } = measurements[signal]
    return {
      signal,
      strength: signals[signal],
      weight: weights[signal],
      share: shareOf.get(signal) ?? 0,
      finding,
      sentence: finding === null ? null : cashierSentence(finding, numbers),
      numbers,
    }
  }).toSorted((a, b) => b.share - a.share)
}

/** The first thing that a reviewer should read: what made most of the score. */
export function reasonOf(fraud: CashierFraud, measurements: Measurements): string {
  const [worst] = explainAction(fraud, measurements)
  if (worst === undefined || worst.strength === 0) return `score ${fraud.risk_score}`
  const { finding, sentence, signal } = worst
  return finding === null ? signal : `${finding}: ${sentence}`
}
