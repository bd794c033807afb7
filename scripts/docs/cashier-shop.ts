/** A shop with six cashiers, who sell and void alike, for the tables of docs/cashier.md. */
import {
  type ActionFacts,
  CASHIER_PARAMETERS,
  type CashierStates,
  locationOfAction,
  locationOfSale,
  recordSale,
  type SaleFacts,
  type ScoredAction,
  scoreAction,
} from '../../src/modules/cashier/index.ts'
import { DAY_MS, MINUTE_MS } from '../../src/platform/time-units.ts'

export const NOW = Date.UTC(2026, 2, 2, 18)

const PEERS = ['bob', 'carl', 'dora', 'emil', 'fay']
const SUSPECT = 'ann'
const TILL = 'pos-1'
const PLACE = 'Main Street'
const SALES_PER_DAY = 100
/** Two voids per hundred sales. */
const VOID_EVERY = 50

export type Shop = {
  /** An action of the cashier in question, by default on the last day. */
  act(action: Partial<ActionFacts> & { minutes?: number }): ScoredAction
  /** A day of all cashiers. The one in question voids `times` as often as the peers. */
  work(day: number, times: number): ScoredAction[]
}

/**
 * The history of the shop is simulated once, and each call of the result opens a copy of it.
 *
 * @param days number of past days on which all cashiers worked alike
 * @param stopped_days number of days since the last of them
 */
export function shopAfter(days: number, stopped_days = 0): () => Shop {
  const past = new Map<string, unknown>()
  const shop = shopOn(past)
  for (let day = -days; day < 0; day += 1) shop.work(day - stopped_days, 1)
  return () => shopOn(new Map(past))
}

function shopOn(states: Map<string, unknown>): Shop {
  const read = (cashier: string, location: string): CashierStates =>
    ({
      cashier: states.get(`cashier ${cashier}`),
      till: states.get('till'),
      store: states.get(`store ${location}`),
      organization: states.get('organization'),
    }) as CashierStates
  const store = (next: CashierStates, cashier: string, location: string) => {
    states.set(`cashier ${cashier}`, next.cashier)
    states.set('till', next.till)
    states.set(`store ${location}`, next.store)
    states.set('organization', next.organization)
  }
  const sell = (cashier: string, at: number, number: number) => {
    const location = locationOfSale(PLACE) ?? ''
    const before = read(cashier, location)
    const next = recordSale(before, saleOf(cashier, at, number), at, CASHIER_PARAMETERS)
    store(next, cashier, location)
  }
  const act = (cashier: string, at: number, action: Partial<ActionFacts>): ScoredAction => {
    const before = read(cashier, '')
    const location = locationOfAction(TILL, before.till, before.cashier)
    const facts = { ...actionOf(cashier, at), location, ...action }
    const scored = scoreAction(facts, read(cashier, location), at, CASHIER_PARAMETERS)
    store(scored.next, cashier, location)
    return scored
  }
  const work = (day: number, times: number): ScoredAction[] => {
    const own: ScoredAction[] = []
    for (const cashier of [...PEERS, SUSPECT]) {
      const every = cashier === SUSPECT ? Math.round(VOID_EVERY / times) : VOID_EVERY
      for (let number = 1; number <= SALES_PER_DAY; number += 1) {
        const at = NOW + day * DAY_MS + number * 5 * MINUTE_MS
        sell(cashier, at, number)
        if (number % every !== 0) continue
        const scored = act(cashier, at + 3 * MINUTE_MS, {})
        if (cashier === SUSPECT) own.push(scored)
      }
    }
    return own
  }
  return {
    act: ({ minutes = 0, ...action }) => act(SUSPECT, NOW + minutes * MINUTE_MS, action),
    work,
  }
}

const saleOf = (cashier_id: string, at: number, number: number): SaleFacts => ({
  cashier_id,
  edge_device_id: TILL,
  location_name: PLACE,
  customer_id: undefined,
  amount_cents: 1999 + 10 * (number % 30),
  currency: 'EUR',
  is_cash: false,
  discount: 'none',
  ordered_at_ms: at,
  local_hour: 12,
})

const actionOf = (cashier_id: string, at: number): ActionFacts => ({
  cashier_id,
  action_type: 'void',
  edge_device_id: TILL,
  location: '',
  amount_cents: undefined,
  performed_at_ms: at,
  local_hour: 12,
  order: undefined,
})
