/** Cashiers of one shop for tests of their scoring: what happened, told briefly, with the states kept. */
import {
  type ActionType,
  CASHIER_PARAMETERS,
  type CashierState,
  type CashierStates,
  locationOfAction,
  locationOfSale,
  type MatchedOrder,
  recordSale,
  type SaleFacts,
  type ScoredAction,
  scoreAction,
} from '../../src/modules/cashier/index.ts'

type When = { at: number; till?: string | undefined; hour?: number; now?: number }

export type TownSale = When & {
  amount_cents?: number
  currency?: string
  customer?: string
  discount?: SaleFacts['discount']
  is_cash?: boolean
}

export type TownAction = When & {
  amount_cents?: number | undefined
  order?: MatchedOrder | null | undefined
}

export type Town = {
  sale(cashier: string, sale: TownSale): undefined
  act(cashier: string, type: ActionType, action: TownAction): ScoredAction
  cashier(id: string): CashierState | undefined
  /** Bytes of the largest state of a location. */
  largestStore(): number
}

/** @param isThroughJson whether states are written and read between any two events */
export function createTown(isThroughJson: boolean): Town {
  const states = new Map<string, object>()
  const get = <State extends object>(key: string): State | undefined => {
    const state = states.get(key) as State | undefined
    if (state === undefined || !isThroughJson) return state
    return JSON.parse(JSON.stringify(state)) as State
  }
  const read = (cashier: string, till: string | undefined, location: string): CashierStates => ({
    cashier: get(`cashier ${cashier}`),
    till: till === undefined ? undefined : get(`till ${till}`),
    store: get(`store ${location}`),
    organization: get('organization'),
  })
  const keep = (
    next: CashierStates,
    cashier: string,
    till: string | undefined,
    location: string,
  ) => {
    if (next.cashier) states.set(`cashier ${cashier}`, next.cashier)
    if (next.till && till !== undefined) states.set(`till ${till}`, next.till)
    if (next.store) states.set(`store ${location}`, next.store)
    if (next.organization) states.set('organization', next.organization)
  }
  return {
    sale: (cashier, { at, till, hour = 12, now = at, ...sale }) => {
      const location_name = 'Main Street'
      const location = locationOfSale(location_name) ?? ''
      const facts: SaleFacts = {
        cashier_id: cashier,
        edge_device_id: till,
        location_name,
        customer_id: sale.customer,
        amount_cents: sale.amount_cents ?? 2199,
        currency: sale.currency ?? 'EUR',
        is_cash: sale.is_cash ?? false,
        discount: sale.discount ?? 'none',
        ordered_at_ms: at,
        local_hour: hour,
      }
      const next = recordSale(read(cashier, till, location), facts, now, CASHIER_PARAMETERS)
      keep(next, cashier, till, location)
    },
    act: (cashier, type, { at, till, hour = 12, now = at, amount_cents, order }) => {
      const before = read(cashier, till, '')
      const location = locationOfAction(till, before.till, before.cashier)
      const facts = {
        cashier_id: cashier,
        action_type: type,
        edge_device_id: till,
        location,
        amount_cents,
        performed_at_ms: at,
        local_hour: hour,
        order,
      }
      const scored = scoreAction(facts, read(cashier, till, location), now, CASHIER_PARAMETERS)
      keep(scored.next, cashier, till, location)
      return scored
    },
    cashier: (id) => get(`cashier ${id}`),
    largestStore: () => {
      const stores = [...states].filter(([key]) => key.startsWith('store '))
      return Math.max(...stores.map(([, state]) => JSON.stringify(state).length))
    },
  }
}
