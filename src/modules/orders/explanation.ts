/** Explains an order's score for people. */
import { type ExplainedSignal, explainSignals, strongestReason } from '../risk/index.ts'
import type { OrderRisk } from './schema.ts'
import type { OrderParameters } from './scoring/parameters.ts'
import type { ScoredOrder } from './scoring/scoring.ts'
import type { OrderSignal } from './scoring/signals.ts'
import { sentenceOf } from './sentences.ts'

type Measurements = ScoredOrder['measurements']

/** @param parameters the ones that scored the order */
export const explainOrder = (
  { signals }: OrderRisk,
  measurements: Measurements,
  { weights }: Pick<OrderParameters, 'weights'>,
): ExplainedSignal<OrderSignal>[] => explainSignals({ weights, signals, measurements, sentenceOf })

/**
 * Statistics say little about the first orders of an organization, so their effect is limited
 * there.
 */
export const isOfNewOrganization = (
  { seq }: { seq: number },
  { history }: Pick<OrderParameters, 'history'>,
): boolean => seq <= history.known_orders

export const reasonOf = (
  risk: OrderRisk,
  measurements: Measurements,
  parameters: Pick<OrderParameters, 'weights'>,
): string => strongestReason(risk.risk_score, explainOrder(risk, measurements, parameters))
