/** Ids of the states that cashier actions and sales read and update. */
import type { Owner } from '../../platform/owner.ts'
import type { StateId } from '../../platform/states/index.ts'

export type CashierKeys = { cashier: string; till: string | undefined; store: string | undefined }

export type CashierNames = {
  cashier_external_id: string
  edge_device_id?: string | undefined
  /** From `locationOfSale` or `locationOfAction`; undefined when unknown. */
  location: string | undefined
}

export function cashierKeys(
  stateId: StateId,
  owner: Owner,
  { cashier_external_id, edge_device_id, location }: CashierNames,
): CashierKeys {
  return {
    cashier: stateId(owner, 'cashier', cashier_external_id),
    till: edge_device_id === undefined ? undefined : stateId(owner, 'till', edge_device_id),
    store: location === undefined ? undefined : stateId(owner, 'cashier_store', location),
  }
}

/** Returns the id of the state of all cashiers of the organization. */
export const cashiersKey = (stateId: StateId, owner: Owner): string =>
  stateId(owner, 'cashier_organization')
