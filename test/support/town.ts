/**
 * Cashiers of one store with their states in memory: sales and actions in short form for scoring
 * tests.
 */
import { createFold } from '../../eval/cashier/fold.ts'
import {
  type ActionType,
  type CashierState,
  type MatchedOrder,
  type SaleFacts,
  type ScoredAction,
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
  /** Size of the largest store state in bytes. */
  largestStore(): number
}

/** @param isThroughJson whether states pass through JSON between events */
export function createTown(isThroughJson: boolean): Town {
  const throughJson = <State>(state: State) => JSON.parse(JSON.stringify(state)) as State
  const fold = isThroughJson ? createFold(throughJson) : createFold()
  return {
    sale: (cashier, { at, till, hour = 12, now = at, ...sale }) => {
      const facts: SaleFacts = {
        cashier_id: cashier,
        edge_device_id: till,
        location_name: 'Main Street',
        customer_id: sale.customer,
        amount_cents: sale.amount_cents ?? 2199,
        currency: sale.currency ?? 'EUR',
        is_cash: sale.is_cash ?? false,
        discount: sale.discount ?? 'none',
        ordered_at_ms: at,
        local_hour: hour,
      }
      fold.sell(facts, now)
    },
    act: (cashier, action_type, { at, till, hour = 12, now = at, amount_cents, order }) => {
      const action = { cashier_id: cashier, action_type, edge_device_id: till, amount_cents, order }
      return fold.act({ ...action, performed_at_ms: at, local_hour: hour }, now)
    },
    cashier: fold.cashier,
    largestStore: () => fold.sizes().store,
  }
}
