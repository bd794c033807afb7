/** Compares the stored score of an order with that of a replay. */
import { reasonOf } from '../explanation.ts'
import { DEFAULT_CURRENCY } from '../facts.ts'
import type { OrderParameters } from '../scoring/parameters.ts'
import { REVIEW_SCORE, type ScoredOrder } from '../scoring/scoring.ts'
import type { WholeOrder } from '../store.ts'
import { type Comparison, countCompared } from './replay-counts.ts'
import type { Replay } from './schema.ts'

export const comparisonOf = ({ request, risk }: WholeOrder, scoreNow: number): Comparison => ({
  score_then: risk.risk_score,
  score_now: scoreNow,
  was_flagged: risk.flagged_for_review,
  is_flagged: scoreNow >= REVIEW_SCORE,
  amount: { cents: request.amount_cents, currency: request.currency ?? DEFAULT_CURRENCY },
})

/** @param parametersThen returns the parameters that scored an order at its arrival */
export function comparing(
  counted: Replay,
  parametersThen: (order: WholeOrder) => OrderParameters,
  parameters: OrderParameters,
) {
  return (order: WholeOrder, now: ScoredOrder): void => {
    const { org_id, id: order_id, request } = order
    const { external_order_id } = request
    const compared = comparisonOf(order, now.risk.risk_score)
    const { score_then, score_now, is_flagged } = compared
    counted.orders += 1
    countCompared(counted, compared, () => {
      const { risk, measurements } = is_flagged ? now : order
      const used = is_flagged ? parameters : parametersThen(order)
      const reason = reasonOf({ request, risk, measurements }, used)
      return { org_id, order_id, external_order_id, score_then, score_now, reason }
    })
  }
}
