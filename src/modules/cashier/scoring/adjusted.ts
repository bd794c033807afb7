/** Applies custom rules and lists to the score of a cashier action, through its signals. Pure. */
import type { Measurement } from '../../behavior/index.ts'
import { BY_ACTION, type RulesInEffect, ruleSteps } from '../../custom-rules/index.ts'
import {
  type Adjustment,
  type AdjustmentStep,
  adjustAll,
  combinedProbability,
  findingOf,
  listSteps,
  recordOf,
  scoreOf,
} from '../../risk/index.ts'
import type { ActionType } from './facts.ts'
import { CASHIER_SIGNALS, type CashierParameters, type CashierSignal } from './parameters.ts'
import { type ActionRuleSubject, actionRuleFacts } from './rule-facts.ts'

/** The signal about actions of a type. Each has a flag, by which an action is reviewed. */
const SIGNALS: Readonly<Record<ActionType, CashierSignal>> = {
  void: 'excessive_voids',
  refund: 'excessive_refunds',
  discount_override: 'discount_abuse',
  price_override: 'discount_abuse',
  no_sale: 'drawer_anomaly',
  cash_drop: 'drawer_anomaly',
  cash_pickup: 'drawer_anomaly',
  drawer_open: 'drawer_anomaly',
  shift_start: 'off_shift',
  shift_end: 'off_shift',
}

export type AdjustedAction = {
  measurements: Record<CashierSignal, Measurement>
  risk_score: number
  adjustments: readonly Adjustment[]
  /** What rules in shadow would have changed. */
  shadows: readonly Adjustment[]
}

/** Actions are reviewed by their flags, so the score only decides how urgent that is. */
const REVIEW_SCORE = 50
const NOTHING: readonly Adjustment[] = []

/** Rules come first, so that an entry of a list has the last word. */
export function adjustAction(
  subject: Omit<ActionRuleSubject, 'score'>,
  custom: RulesInEffect['custom'],
  { weights, flag_from }: Pick<CashierParameters, 'weights' | 'flag_from'>,
): AdjustedAction {
  const { found, facts } = subject
  const strengths = recordOf(CASHIER_SIGNALS, (signal) => found[signal].score)
  const probability = combinedProbability(weights, strengths)
  const risk_score = scoreOf(probability, 0)
  const bySignal = SIGNALS[facts.action_type]
  const rules = custom.of('cashier_action')
  const byRules =
    rules.length === 0
      ? []
      : ruleSteps<CashierSignal | typeof BY_ACTION>(
          rules,
          actionRuleFacts({ ...subject, score: risk_score }, custom.groups('cashier_action')),
          { review_score: REVIEW_SCORE, signal_min: flag_from },
        ).map((step) => withSignal(step, bySignal))
  const steps = [...byRules, ...listSteps(facts.lists ?? [], () => bySignal, flag_from)]
  if (steps.length === 0) {
    return { measurements: found, risk_score, adjustments: NOTHING, shadows: NOTHING }
  }
  const adjusted = adjustAll(weights, { probability, strengths }, steps)
  const { adjustments, shadows } = adjusted
  if (adjustments.length === 0) return { measurements: found, risk_score, adjustments, shadows }
  return {
    measurements: recordOf(CASHIER_SIGNALS, (signal) => {
      const [before, strength] = [found[signal], adjusted.strengths[signal]]
      const score = Math.round(strength)
      const cause = adjusted.raised[signal]
      if (cause === undefined || strength <= before.score) return { ...before, score }
      const { finding, numbers } = findingOf(cause)
      return { score, finding, numbers: { ...before.numbers, ...numbers } }
    }),
    risk_score: scoreOf(adjusted.probability, 0),
    adjustments,
    shadows,
  }
}

function withSignal(
  { change, ...step }: AdjustmentStep<CashierSignal | typeof BY_ACTION>,
  bySignal: CashierSignal,
): AdjustmentStep<CashierSignal> {
  const { signal } = change
  return { ...step, change: { ...change, signal: signal === BY_ACTION ? bySignal : signal } }
}
