/** Why an order got its score, for people: each signal with its numbers, its cap and its share. */
import { combine } from '../risk/index.ts'
import type { OrderRisk } from './schema.ts'
import type { OrderParameters } from './scoring/parameters.ts'
import type { ScoredOrder } from './scoring/scoring.ts'
import { ORDER_SIGNALS, type OrderSignal } from './scoring/signals.ts'
import { sentenceOf } from './sentences.ts'

type Measurements = ScoredOrder['measurements']

export type ExplainedSignal = {
  signal: OrderSignal
  /** 0-100 */
  strength: number
  /** Its cap: how much of the score the signal can make on its own, 0-1. */
  weight: number
  /** Part of the score that it made, 0-1. */
  share: number
  finding: string | null
  /** The finding in words, with its numbers. */
  sentence: string | null
  numbers: Readonly<Record<string, number | string>>
}

/**
 * All six, those that made most of the score first.
 * @param parameters those that scored it
 */
export function explainOrder(
  risk: OrderRisk,
  measurements: Measurements,
  { weights }: Pick<OrderParameters, 'weights'>,
): ExplainedSignal[] {
  const { shares } = combine(weights, risk.signals, 0)
  const shareOf = new Map(shares.map(({ signal, share }) => [signal, share]))
  return ORDER_SIGNALS.map((signal) => {
    const { finding, numbers } = measurements[signal]
    return {
      signal,
      strength: risk.signals[signal],
      weight: weights[signal],
      share: shareOf.get(signal) ?? 0,
      finding,
      sentence: finding === null ? null : sentenceOf(finding, numbers),
      numbers,
    }
  }).toSorted((a, b) => b.share - a.share)
}

/** Statistics say little about the first orders of an organisation and are held back there. */
export const isOfNewOrganization = (
  { seq }: { seq: number },
  { history }: Pick<OrderParameters, 'history'>,
): boolean => seq <= history.known_orders

/** The first thing that a reviewer should read. */
export function reasonOf(
  risk: OrderRisk,
  measurements: Measurements,
  parameters: Pick<OrderParameters, 'weights'>,
): string {
  const [worst] = explainOrder(risk, measurements, parameters)
  if (!worst || worst.strength === 0) return `score ${risk.risk_score}`
  const { finding, sentence, signal } = worst
  return finding === null ? signal : `${finding}: ${sentence}`
}
