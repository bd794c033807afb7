/** Explains a score for people: each signal with its numbers, its weight and its share of the score. */
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
  finding: string | null
  /** The finding as a sentence with its numbers. */
  sentence: string | null
  numbers: Numbers
}

export type ScoredSignals<Signal extends string> = {
  weights: Weights<Signal>
  /** 0-100 each */
  signals: Readonly<Record<Signal, number>>
  measurements: Readonly<Record<Signal, { finding: string | null; numbers: Numbers }>>
  sentenceOf: (finding: string, numbers: Numbers) => string
}

/** Returns all signals, largest share of the score first. */
export function explainSignals<Signal extends string>({
  weights,
  signals,
  measurements,
  sentenceOf,
}: ScoredSignals<Signal>): ExplainedSignal<Signal>[] {
  const { shares } = combine(weights, signals, 0)
  const shareOf = new Map(shares.map(({ signal, share }) => [signal, share]))
  const names = Object.keys(weights) as Signal[]
  return names
    .map((signal) => {
      const { finding, numbers } = measurements[signal]
      const [strength, weight] = [signals[signal], weights[signal]]
      const share = shareOf.get(signal) ?? 0
      const sentence = finding === null ? null : sentenceOf(finding, numbers)
      return { signal, strength, weight, share, finding, sentence, numbers }
    })
    .toSorted((a, b) => b.share - a.share)
}

/** Returns the finding that contributed most, which a reviewer should read first. */
export function strongestReason(
  risk_score: number,
  [worst]: readonly ExplainedSignal<string>[],
): string {
  if (worst === undefined || worst.strength === 0) return `score ${risk_score}`
  const { finding, sentence, signal } = worst
  return finding === null ? signal : `${finding}: ${sentence}`
}
