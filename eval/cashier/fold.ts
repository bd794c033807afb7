/** Replays events through the real rules, with the states in a map. */
import {
  CASHIER_PARAMETERS,
  type CashierParameters,
  type CashierState,
  type CashierStates,
  locationOfAction,
  locationOfSale,
  type OrganizationCashiersState,
  recordSale,
  type ScoredAction,
  type StoreCashiersState,
  scoreAction,
  type TillState,
} from '../../src/modules/cashier/index.ts'
import type { Event } from './shift.ts'

export type Fold = {
  /** @returns undefined for a sale */
  apply(event: Event): ScoredAction | undefined
  /** How often each kind of state was written. */
  writes: Record<keyof CashierStates, number>
  /** Largest JSON of each kind of state, in bytes. */
  sizes(): Record<keyof CashierStates, number>
}

export function createFold(parameters: CashierParameters = CASHIER_PARAMETERS): Fold {
  const cashiers = new Map<string, CashierState>()
  const tills = new Map<string, TillState>()
  const stores = new Map<string, StoreCashiersState>()
  let organization: OrganizationCashiersState | undefined
  const writes = { cashier: 0, till: 0, store: 0, organization: 0 }

  const keep = (before: CashierStates, next: CashierStates, event: Event, location: string) => {
    const { cashier_id, edge_device_id } = event.facts
    if (next.cashier && next.cashier !== before.cashier) {
      cashiers.set(cashier_id, next.cashier)
      writes.cashier += 1
    }
    if (next.till && next.till !== before.till && edge_device_id !== undefined) {
      tills.set(edge_device_id, next.till)
      writes.till += 1
    }
    if (next.store && next.store !== before.store) {
      stores.set(location, next.store)
      writes.store += 1
    }
    if (next.organization !== before.organization) {
      organization = next.organization
      writes.organization += 1
    }
  }

  return {
    apply: (event) => {
      const { cashier_id, edge_device_id } = event.facts
      const cashier = cashiers.get(cashier_id)
      const till = edge_device_id === undefined ? undefined : tills.get(edge_device_id)
      const now = Math.ceil(event.at)
      if (event.type === 'sale') {
        const location = locationOfSale(event.facts.location_name)
        const store = location === undefined ? undefined : stores.get(location)
        const before = { cashier, till, store, organization }
        const next = recordSale(before, event.facts, now, parameters)
        keep(before, next, event, location ?? '')
        return undefined
      }
      const location = locationOfAction(edge_device_id, till, cashier)
      const before = { cashier, till, store: stores.get(location), organization }
      const scored = scoreAction({ ...event.facts, location }, before, now, parameters)
      keep(before, scored.next, event, location)
      return scored
    },
    writes,
    sizes: () => ({
      cashier: largest(cashiers.values()),
      till: largest(tills.values()),
      store: largest(stores.values()),
      organization: largest(organization === undefined ? [] : [organization]),
    }),
  }
}

function largest(states: Iterable<object>): number {
  let most = 0
  for (const state of states) most = Math.max(most, JSON.stringify(state).length)
  return most
}
