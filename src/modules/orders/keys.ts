/** Ids of the states that an order is compared with and updates. */
import type { Owner } from '../../platform/owner.ts'
import type { StateId } from '../../platform/states/index.ts'
import { type CashierKeys, cashierKeys, locationOfSale } from '../cashier/index.ts'
import type { OrderRequest } from './schema.ts'
import type { OrderStates } from './scoring/states.ts'

export type OrderKeys = { organization: string } & Partial<
  Record<Exclude<keyof OrderStates, 'organization'>, string>
> & {
    /** States of the cashier who rang up the order, if one is named. */
    sale?: CashierKeys
  }

/** Lists every state id for the lane. */
export function idsOf({ sale, ...keys }: OrderKeys): string[] {
  const ids = Object.values(keys)
  if (sale) {
    for (const id of [sale.cashier, sale.till, sale.store]) if (id !== undefined) ids.push(id)
  }
  return ids
}

export function orderKeys(stateId: StateId, owner: Owner, request: OrderRequest): OrderKeys {
  const { external_id, edge_device_id, location_name, fingerprint_hash, ip_hash } = request
  const keys: OrderKeys = { organization: stateId(owner, 'organization') }
  if (external_id !== undefined) keys.profile = stateId(owner, 'profile', external_id)
  if (edge_device_id !== undefined) keys.terminal = stateId(owner, 'terminal', edge_device_id)
  // The store is the fallback when neither a customer nor a terminal says what is usual.
  else if (external_id === undefined && location_name !== undefined) {
    keys.store = stateId(owner, 'store', location_name)
  }
  if (fingerprint_hash !== undefined) keys.device = stateId(owner, 'device', fingerprint_hash)
  if (ip_hash !== undefined) keys.ip = stateId(owner, 'ip', ip_hash)
  const { cashier_external_id } = request
  if (cashier_external_id !== undefined) {
    const location = locationOfSale(location_name)
    keys.sale = cashierKeys(stateId, owner, { cashier_external_id, edge_device_id, location })
  }
  return keys
}
