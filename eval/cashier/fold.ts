/** Folds sales and actions of cashiers over states in memory, by the keys that the service uses. */
import {
  type ActionFacts,
  CASHIER_PARAMETERS,
  type CashierState,
  type CashierStates,
  locationOfAction,
  locationOfSale,
  type OrganizationCashiersState,
  recordSale,
  type SaleFacts,
  type ScoredAction,
  type StoreCashiersState,
  scoreAction,
  type TillState,
} from '../../src/modules/cashier/index.ts'

export type Fold = {
  sell(facts: SaleFacts, now_ms: number): void
  act(facts: Omit<ActionFacts, 'location'>, now_ms: number): ScoredAction
  cashier(id: string): CashierState | undefined
  /** Number of times that each kind of state was written. */
  writes: Record<keyof CashierStates, number>
  /** Size of the largest state of each kind as JSON, in bytes. */
  sizes(): Record<keyof CashierStates, number>
}

/** @param copy is applied to each state that is read, for example to send it through JSON */
export function createFold(copy = <State>(state: State): State => state): Fold {
  const cashiers = new Map<string, CashierState>()
  const tills = new Map<string, TillState>()
  const stores = new Map<string, StoreCashiersState>()
  let organization: OrganizationCashiersState | undefined
  const writes = { cashier: 0, till: 0, store: 0, organization: 0 }
  const find = <State>(states: ReadonlyMap<string, State>, key: string | undefined) => {
    const state = key === undefined ? undefined : states.get(key)
    return state === undefined ? undefined : copy(state)
  }
  type Keys = { cashier: string; till: string | undefined; store: string | undefined }
  const read = (keys: Keys): CashierStates => ({
    cashier: find(cashiers, keys.cashier),
    till: find(tills, keys.till),
    store: find(stores, keys.store),
    organization: organization && copy(organization),
  })
  const write = (keys: Keys, before: CashierStates, next: CashierStates) => {
    for (const kind of Object.keys(writes) as (keyof CashierStates)[]) {
      if (next[kind] !== before[kind]) writes[kind] += 1
    }
    if (next.cashier) cashiers.set(keys.cashier, next.cashier)
    if (next.till && keys.till !== undefined) tills.set(keys.till, next.till)
    if (next.store && keys.store !== undefined) stores.set(keys.store, next.store)
    organization = next.organization
  }
  return {
    sell: (facts, now_ms) => {
      const { cashier_id: cashier, edge_device_id: till, location_name } = facts
      const keys = { cashier, till, store: locationOfSale(location_name) }
      const before = read(keys)
      write(keys, before, recordSale(before, facts, now_ms, CASHIER_PARAMETERS))
    },
    act: (facts, now_ms) => {
      const { cashier_id: cashier, edge_device_id: till } = facts
      const known = read({ cashier, till, store: undefined })
      const location = locationOfAction(till, known.till, known.cashier)
      const keys = { cashier, till, store: location }
      const before = read(keys)
      const scored = scoreAction({ ...facts, location }, before, now_ms, CASHIER_PARAMETERS)
      write(keys, before, scored.next)
      return scored
    },
    cashier: (id) => find(cashiers, id),
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
