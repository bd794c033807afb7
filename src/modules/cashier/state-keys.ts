/** Under which ids the states are kept that cashier actions and sales read and teach. */
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import type { StateId } from '../../platform/states/index.ts'

export type CashierKeys = {
  cashier: string
  till: string | undefined
  store: string | undefined
}

export type CashierNames = {
  cashier_external_id: string
  edge_device_id: string | undefined
  /** `locationOfSale` or `locationOfAction`; undefined when none is known. */
  location: string | undefined
}

export function cashierKeys(
  stateId: StateId,
  owner: { org_id: string; mode: Mode },
  { cashier_external_id, edge_device_id, location }: CashierNames,
): CashierKeys {
  return {
    cashier: stateId(owner, 'cashier', cashier_external_id),
    till: edge_device_id === undefined ? undefined : stateId(owner, 'till', edge_device_id),
    store: location === undefined ? undefined : stateId(owner, 'cashier_store', location),
  }
}

/** Of all cashiers of the organisation. */
export const cashiersKey = (stateId: StateId, owner: { org_id: string; mode: Mode }): string =>
  stateId(owner, 'cashier_organization')
