/** Explains an order's score for people. */
import { orderReason, type ReasonOrder } from '../reasons/index.ts'
import { type ExplainedSignal, explainSignals, strongestReason } from '../risk/index.ts'
import { DEFAULT_CURRENCY } from './facts.ts'
import type { OrderRequest, OrderRisk } from './schema.ts'
import type { OrderParameters } from './scoring/parameters.ts'
import type { ScoredOrder } from './scoring/scoring.ts'
import type { OrderSignal } from './scoring/signals.ts'

export type AssessedOrder = {
  request: OrderRequest
  risk: OrderRisk
  measurements: ScoredOrder['measurements']
}

/** @param parameters the ones that scored the order */
export function explainOrder(
  { request, risk, measurements }: AssessedOrder,
  { weights }: Pick<OrderParameters, 'weights'>,
): ExplainedSignal<OrderSignal>[] {
  const { risk_score, signals } = risk
  const order = reasonOrder(request)
  const sentenceOf = (finding: string, numbers: Readonly<Record<string, number | string>>) =>
    orderReason(finding, numbers, order)
  return explainSignals({ risk_score, weights, signals, measurements, sentenceOf })
}

function reasonOrder(request: OrderRequest): ReasonOrder {
  const { amount_cents, currency, external_id, edge_device_id, location_name } = request
  return {
    amount_cents,
    currency: currency ?? DEFAULT_CURRENCY,
    is_guest: external_id === undefined,
    place:
      edge_device_id !== undefined ? 'terminal' : location_name !== undefined ? 'store' : undefined,
  }
}

/**
 * Statistics say little about the first orders of an organization, so their effect is limited
 * there.
 */
export const isOfNewOrganization = (
  { seq }: { seq: number },
  { history }: Pick<OrderParameters, 'history'>,
): boolean => seq <= history.known_orders

export const reasonOf = (
  order: AssessedOrder,
  parameters: Pick<OrderParameters, 'weights'>,
): string => strongestReason(order.risk.risk_score, explainOrder(order, parameters))
