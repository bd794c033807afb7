/** Updates the cashier states with the sale behind an order. */
import type { ChangedState, States } from '../../platform/states/index.ts'
import {
  CASHIER_PARAMETERS,
  type CashierKeys,
  type CashierStates,
  recordSale,
  type SaleFacts,
} from '../cashier/index.ts'
import type { OrderFacts } from './scoring/facts.ts'

/**
 * An order that returns more than it sells is no sale.
 * @param keys undefined when the order names no cashier
 */
export function learnSale(
  keys: CashierKeys | undefined,
  facts: OrderFacts,
  states: States,
  now: Date,
): ChangedState[] {
  if (keys === undefined || facts.amount_cents < 0) return []
  const at = (id: string | undefined): unknown => (id === undefined ? undefined : states.get(id))
  const before = {
    cashier: at(keys.cashier),
    till: at(keys.till),
    store: at(keys.store),
    organization: undefined,
  } as CashierStates
  const next = recordSale(before, saleOf(keys.cashier, facts), now.getTime(), CASHIER_PARAMETERS)
  const changed: ChangedState[] = []
  const add = (kind: string, id: string | undefined, value: object | undefined, was: unknown) => {
    if (id === undefined || value === undefined || value === was) return
    changed.push({ id, kind, value, updated_at: now })
  }
  add('cashier', keys.cashier, next.cashier, before.cashier)
  add('till', keys.till, next.till, before.till)
  add('cashier_store', keys.store, next.store, before.store)
  return changed
}

function saleOf(cashier_id: string, facts: OrderFacts): SaleFacts {
  return {
    cashier_id,
    edge_device_id: facts.edge_device_id,
    location_name: facts.location_name,
    customer_id: facts.profile_id,
    amount_cents: facts.amount_cents,
    currency: facts.currency,
    is_cash: facts.payment_method === 'cash',
    discount: discountOf(facts),
    ordered_at_ms: facts.ordered_at_ms,
    local_hour: facts.local_hour,
  }
}

function discountOf({ items }: OrderFacts): SaleFacts['discount'] {
  if (items.some(({ discount_type }) => discount_type === 'override')) return 'override'
  return items.some(({ discount_type }) => discount_type === 'employee') ? 'employee' : 'none'
}
