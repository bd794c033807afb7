/** Explains a score for people: each signal with its numbers, its weight and its share of the score. */
import { apportion } from './apportion.ts'
import { combine, type Weights } from './combine.ts'

type Numbers = Readonly<Record<string, number | string>>

export type ExplainedSignal<Signal extends string> = {
  signal: Signal
  /** 0-100 */
  strength: number
  /** Part of the full score that the signal can reach alone, 0-1. */
  weight: number
  /** Part of the score that the signal accounts for, 0-1. */
  share: number
  /** The share in points; the points of all signals add up to the score. */
  points: number
  finding: string | null
  /** The reason as a sentence; null when the signal adds no point. */
  sentence: string | null
  numbers: Numbers
}

export type ScoredSignals<Signal extends string> = {
  /** 0-100 */
  risk_score: number
  weights: Weights<Signal>
  /** 0-100 each */
  signals: Readonly<Record<Signal, number>>
  measurements: Readonly<Record<Signal, { finding: string | null; numbers: Numbers }>>
  sentenceOf: (finding: string, numbers: Numbers) => string
}

/** Returns all signals, largest share of the score first. */
export function explainSignals<Signal extends string>({
  risk_score,
  weights,
  signals,
  measurements,
  sentenceOf,
}: ScoredSignals<Signal>): ExplainedSignal<Signal>[] {
  const { shares } = combine(weights, signals, 0)
  const shareOf = new Map(shares.map(({ signal, share }) => [signal, share]))
  const names = (Object.keys(weights) as Signal[]).toSorted(
    (a, b) => (shareOf.get(b) ?? 0) - (shareOf.get(a) ?? 0),
  )
  const points = apportion(
    risk_score,
    names.map((signal) => shareOf.get(signal) ?? 0),
  )
  return names.map((signal, index) => {
    const { finding, numbers } = measurements[signal]
    const [strength, weight] = [signals[signal], weights[signal]]
    const share = shareOf.get(signal) ?? 0
    const own = points[index] ?? 0
    const sentence = finding === null || own === 0 ? null : sentenceOf(finding, numbers)
    return { signal, strength, weight, share, points: own, finding, sentence, numbers }
  })
}

/** Returns the reason that contributed most, which a reviewer should read first. */
export function strongestReason(
  risk_score: number,
  [worst]: readonly ExplainedSignal<string>[],
): string {
  return worst?.sentence ?? `Score ${risk_score}`
}
