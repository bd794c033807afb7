/** Finds the entries of the lists that an order matches. */
import type { EntrySet, Identities } from '../lists/index.ts'
import { emailOf } from '../reputation/index.ts'
import type { OrderContext } from './facts.ts'
import type { OrderRequest } from './schema.ts'

/** Adds the matching entries to the context, so that the order can be scored again with them. */
export function withLists(
  context: OrderContext,
  request: OrderRequest,
  entries: EntrySet,
  at: Date,
): OrderContext {
  if (entries.size === 0) return context
  const lists = entries.match(identitiesOf(request, context.country), at)
  return lists.length === 0 ? context : { ...context, lists }
}

/** @param country ISO 3166 alpha-2, or the name of an unknown country */
function identitiesOf(request: OrderRequest, country: string | undefined): Identities {
  const { external_id, fingerprint_hash, ip_hash, edge_device_id, cashier_external_id } = request
  const identities: Identities = {}
  if (external_id !== undefined) {
    identities.profile = external_id
    const email = emailOf(external_id)
    if (email !== undefined) identities.email = email
  }
  if (fingerprint_hash !== undefined) identities.device = fingerprint_hash
  if (ip_hash !== undefined) identities.ip = ip_hash
  if (edge_device_id !== undefined) identities.terminal = edge_device_id
  if (cashier_external_id !== undefined) identities.cashier = cashier_external_id
  if (country !== undefined) identities.country = country
  return identities
}
