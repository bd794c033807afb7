/** Derives the facts about a detected cashier action that its case shows. The cause is the cashier. */
import { type CaseFacts, causeOf } from '../reviews/index.ts'
import type { CashierRequest } from './schema.ts'
import { type ActionContext, amountOf } from './store.ts'

export function caseFactsOfAction(
  request: CashierRequest,
  { order, location }: ActionContext,
): CaseFacts {
  const { cashier_external_id: cashier, edge_device_id: terminal } = request
  return {
    identities: { cashier, terminal, store: location },
    causes: [causeOf('cashier', cashier)],
    amount_cents: amountOf(request) ?? null,
    currency: order?.currency ?? null,
    customer: cashier,
    country: null,
  }
}
