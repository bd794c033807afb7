/** Sales and actions of the world as the cashier rules see them. */
import type { ActionFacts, SaleFacts } from '../../src/modules/cashier/index.ts'
import type { Action, Order } from '../../world/events.ts'
import type { Shift } from '../../world/stores.ts'
import { hourAt } from '../../world/time.ts'

const CURRENCY = 'EUR'

export const saleFacts = (sale: Order, { cashier, store }: Shift): SaleFacts => ({
  cashier_id: cashier.id,
  edge_device_id: sale.sold?.edge_device,
  location_name: store.name,
  customer_id: sale.customer,
  amount_cents: sale.amount_cents,
  currency: CURRENCY,
  is_cash: sale.payment === 'cash',
  discount: sale.discount ?? 'none',
  ordered_at_ms: sale.at,
  local_hour: hourAt(sale.zone, sale.at),
})

export const actionFacts = (action: Action): Omit<ActionFacts, 'location'> => ({
  cashier_id: action.shift.cashier.id,
  action_type: action.action,
  edge_device_id: action.shift.till,
  amount_cents: action.amount_cents,
  performed_at_ms: action.at,
  local_hour: hourAt(action.shift.store.city.zone, action.at),
  order: action.receipt && { currency: CURRENCY, refunded_cents: 0, ...action.receipt },
})
