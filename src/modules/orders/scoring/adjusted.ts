/** Applies custom rules and lists to the score of an order, through the signals. Pure. */
import { type Assessment, type Measurement, measured } from '../../behavior/index.ts'
import type { ListKind } from '../../lists/tables.ts'
import {
  type Adjustment,
  type AdjustmentStep,
  adjustAll,
  findingOf,
  type ListMatch,
  listSteps,
  recordOf,
} from '../../risk/index.ts'
import type { OrderParameters } from './parameters.ts'
import { ORDER_SIGNALS, type OrderSignal } from './signals.ts'

type Assessments = Readonly<Record<OrderSignal, Assessment>>

export type AdjustedOrder = {
  measurements: Record<OrderSignal, Measurement>
  /** Unrounded score, 0-1 */
  probability: number
  adjustments: readonly Adjustment[]
  shadows: readonly Adjustment[]
}

const signalOf = (kind: ListKind): OrderSignal => {
  if (kind === 'device') return 'device_anomaly'
  return kind === 'country' ? 'location_anomaly' : 'pattern'
}

export const listStepsOfOrder = (lists: readonly ListMatch[]): AdjustmentStep<OrderSignal>[] =>
  listSteps(lists, signalOf)

/** @param probability unrounded score before the steps, 0-1 */
export function adjustOrder(
  found: Assessments,
  probability: number,
  steps: readonly AdjustmentStep<OrderSignal>[],
  { weights }: Pick<OrderParameters, 'weights'>,
): AdjustedOrder {
  const strengths = recordOf(ORDER_SIGNALS, (signal) => found[signal].strength)
  const adjusted = adjustAll(weights, { probability, strengths }, steps)
  const measurements = recordOf(ORDER_SIGNALS, (signal) => {
    const before = measured(found[signal])
    const strength = adjusted.strengths[signal]
    if (strength === strengths[signal]) return before
    const score = Math.round(strength)
    const cause = adjusted.raised[signal]
    if (cause === undefined || strength < strengths[signal]) return { ...before, score }
    const { finding, numbers } = findingOf(cause)
    return { score, finding, numbers: { ...before.numbers, ...numbers } }
  })
  const { adjustments, shadows } = adjusted
  return { measurements, probability: adjusted.probability, adjustments, shadows }
}
