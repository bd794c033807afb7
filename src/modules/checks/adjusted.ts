/** Applies lists to the score of a check, through its signals. Pure. */

import type { ListKind } from '../lists/tables.ts'
import { causeText } from '../reasons/index.ts'
import {
  type Adjustment,
  type AdjustmentStep,
  adjustAll,
  combinedProbability,
  type Evidence,
  type EvidenceSignal,
  findingOf,
  type ListMatch,
  listSteps,
  scoreOf,
  WEIGHTS,
} from '../risk/index.ts'

export type ScoredFindings = {
  strengths: Readonly<Record<EvidenceSignal, number>>
  /** Minimum score regardless of the signals, 0-100. */
  hard_floor: number
  evidence: readonly Evidence[]
}

/** An address that the organization refuses counts as a disposable one does. */
const SIGNALS: Readonly<Partial<Record<ListKind, EvidenceSignal>>> = {
  email: 'disposable',
  domain: 'disposable',
  phone: 'phone',
  device: 'device',
  ip: 'ip',
  network: 'ip',
}

const signalOf = (kind: ListKind): EvidenceSignal => SIGNALS[kind] ?? 'velocity'

export function adjustCheck(
  found: ScoredFindings,
  lists: readonly ListMatch[] = [],
): ScoredFindings & { adjustments: readonly Adjustment[] } {
  const steps = listSteps(lists, signalOf)
  return steps.length === 0 ? { ...found, adjustments: [] } : adjusted(found, steps)
}

function adjusted(
  { strengths, hard_floor, evidence }: ScoredFindings,
  steps: readonly AdjustmentStep<EvidenceSignal>[],
) {
  const probability = Math.max(hard_floor / 100, combinedProbability(WEIGHTS, strengths))
  const after = adjustAll(WEIGHTS, { probability, strengths }, steps)
  const raised = Object.entries(after.raised).map(([signal, cause]): Evidence => {
    const name = signal as EvidenceSignal
    const score = Math.round(after.strengths[name])
    return { signal: name, score, finding: findingOf(cause).finding, detail: causeText(cause) }
  })
  const score = scoreOf(after.probability, 0)
  // What signals alone cannot reach, or a floor that is no longer, is a floor as well.
  const reached = scoreOf(combinedProbability(WEIGHTS, after.strengths), 0)
  return {
    strengths: after.strengths,
    hard_floor: reached < score ? score : Math.min(hard_floor, score),
    evidence: [...evidence, ...raised],
    adjustments: after.adjustments,
  }
}
