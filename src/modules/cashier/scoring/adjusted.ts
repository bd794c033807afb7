/** Applies lists to the score of a cashier action, through its signals. Pure. */
import type { Measurement } from '../../behavior/index.ts'
import {
  type Adjustment,
  type AdjustmentStep,
  adjustAll,
  combinedProbability,
  findingOf,
  type ListMatch,
  listSteps,
  recordOf,
} from '../../risk/index.ts'
import type { ActionType } from './facts.ts'
import { CASHIER_SIGNALS, type CashierParameters, type CashierSignal } from './parameters.ts'

type Measurements = Readonly<Record<CashierSignal, Measurement>>

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

export const listStepsOfAction = (
  lists: readonly ListMatch[],
  type: ActionType,
  { flag_from }: Pick<CashierParameters, 'flag_from'>,
): AdjustmentStep<CashierSignal>[] => listSteps(lists, () => SIGNALS[type], flag_from)

export type AdjustedAction = {
  measurements: Record<CashierSignal, Measurement>
  /** Unrounded score, 0-1 */
  probability: number
  adjustments: readonly Adjustment[]
}

export function adjustAction(
  measurements: Measurements,
  steps: readonly AdjustmentStep<CashierSignal>[],
  { weights }: Pick<CashierParameters, 'weights'>,
): AdjustedAction {
  const strengths = recordOf(CASHIER_SIGNALS, (signal) => measurements[signal].score)
  const probability = combinedProbability(weights, strengths)
  const adjusted = adjustAll(weights, { probability, strengths }, steps)
  return {
    measurements: recordOf(CASHIER_SIGNALS, (signal) => {
      const [before, strength] = [measurements[signal], adjusted.strengths[signal]]
      const score = Math.round(strength)
      const cause = adjusted.raised[signal]
      if (cause === undefined || strength <= before.score) return { ...before, score }
      const { finding, numbers } = findingOf(cause)
      return { score, finding, numbers: { ...before.numbers, ...numbers } }
    }),
    probability: adjusted.probability,
    adjustments: adjusted.adjustments,
  }
}
