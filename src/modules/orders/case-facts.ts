/** Derives the facts about a flagged order that its case shows, and that decide which case it joins. */
import { type CaseFacts, causesOfOrder } from '../reviews/index.ts'
import { DEFAULT_CURRENCY, type OrderContext } from './facts.ts'
import type { OrderRequest } from './schema.ts'
import type { ScoredOrder } from './scoring/scoring.ts'

export function caseFactsOfOrder(
  request: OrderRequest,
  context: Pick<OrderContext, 'country'>,
  measurements: ScoredOrder['measurements'],
): CaseFacts {
  const { external_order_id, external_id, currency, payment_method } = request
  const identities = {
    profile: external_id,
    device: request.fingerprint_hash,
    address: request.ip_hash,
    terminal: request.edge_device_id,
    store: request.location_name,
    payment: payment_method,
  }
  return {
    identities,
    causes: causesOfOrder(identities, Object.values(measurements), external_order_id),
    amount_cents: request.amount_cents,
    currency: (currency ?? DEFAULT_CURRENCY).toUpperCase(),
    customer: external_id ?? null,
    country: context.country ?? null,
  }
}
