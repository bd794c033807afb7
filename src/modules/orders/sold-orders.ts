/** Looks up the orders that cashier actions refer to. */
import type { Reader } from '../../platform/states/index.ts'
import type { SoldOrder } from '../cashier/index.ts'
import { DEFAULT_CURRENCY } from './facts.ts'
import { findOrders, type OrderName } from './store.ts'

export const soldOrderReader: Reader<OrderName, SoldOrder | undefined> = {
  name: 'sold orders',
  read: async (db, names) =>
    (await findOrders(db, names)).map(
      (order) =>
        order && {
          cashier_external_id: order.request.cashier_external_id,
          amount_cents: order.request.amount_cents,
          currency: order.request.currency ?? DEFAULT_CURRENCY,
          is_cash: order.request.payment_method === 'cash',
          ordered_at: order.ordered_at,
        },
    ),
}
