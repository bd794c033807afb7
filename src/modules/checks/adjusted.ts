/** Applies custom rules and lists to the score of a check, through its signals. Pure. */
import { type RulesInEffect, ruleSteps } from '../custom-rules/index.ts'
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
  listSteps,
  scoreOf,
  WEIGHTS,
} from '../risk/index.ts'
import { checkRuleFacts, type RuleSubject } from './rule-facts.ts'

export type ScoredFindings = {
  strengths: Readonly<Record<EvidenceSignal, number>>
  /** Minimum score regardless of the signals, 0-100. */
  hard_floor: number
  evidence: readonly Evidence[]
}

export type AdjustedFindings = ScoredFindings & {
  adjustments: readonly Adjustment[]
  /** What rules in shadow would have changed. */
  shadows: readonly Adjustment[]
}

/** Checks with at least this score are high: suspicious, review recommended (specification, "Risk scale"). */
export const HIGH_SCORE = 50

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

const NOTHING: readonly Adjustment[] = []

/** Rules come first, so that an entry of a list has the last word. */
export function adjustCheck(
  found: ScoredFindings,
  subject: Pick<RuleSubject, 'request' | 'created_at' | 'email' | 'phone' | 'stored'>,
  custom: RulesInEffect['custom'],
): AdjustedFindings {
  const rules = custom.of('check')
  const lists = listSteps(subject.stored.lists ?? [], signalOf)
  if (rules.length === 0 && lists.length === 0) {
    return { ...found, adjustments: NOTHING, shadows: NOTHING }
  }
  const { strengths, hard_floor, evidence } = found
  const probability = Math.max(hard_floor / 100, combinedProbability(WEIGHTS, strengths))
  const read = { ...subject, evidence, strengths, score: scoreOf(probability, 0) }
  const byRules =
    rules.length === 0
      ? []
      : ruleSteps<EvidenceSignal>(rules, checkRuleFacts(read, custom.groups('check')), {
          review_score: HIGH_SCORE,
        })
  return adjusted(found, probability, [...byRules, ...lists])
}

function adjusted(
  found: ScoredFindings,
  probability: number,
  steps: readonly AdjustmentStep<EvidenceSignal>[],
): AdjustedFindings {
  const { strengths, hard_floor, evidence } = found
  const after = adjustAll(WEIGHTS, { probability, strengths }, steps)
  const { adjustments, shadows } = after
  if (adjustments.length === 0) return { ...found, adjustments, shadows }
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
    adjustments,
    shadows,
  }
}
