/** A shop of six cashiers for the tables of docs/cashier.md: each sells and voids as they all do. */
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

export const MINUTE_MS = 60_000
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
export const NOW = Date.UTC(2026, 2, 2, 18)

const PEERS = ['bob', 'carl', 'dora', 'emil', 'fay']
const WHO = 'ann'
const TILL = 'pos-1'
const PLACE = 'Main Street'
const SALES_PER_DAY = 100
/** Two of a hundred. */
const VOID_EVERY = 50

export type Shop = {
  /** By the cashier in question, on the last day unless told otherwise. */
  act(action: Partial<ActionFacts> & { minutes?: number }): ScoredAction
  /** One more day of everybody; the cashier in question voids so many times as often as the peers. */
  work(day: number, times: number): ScoredAction[]
}

/** @returns opens the same shop again and again: all of them worked alike for so many days, and stopped some days ago */
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
  const keep = (next: CashierStates, cashier: string, location: string) => {
    states.set(`cashier ${cashier}`, next.cashier)
    states.set('till', next.till)
    states.set(`store ${location}`, next.store)
    states.set('organization', next.organization)
  }
  const sell = (cashier: string, at: number, number: number) => {
    const location = locationOfSale(PLACE) ?? ''
    const next = recordSale(
      read(cashier, location),
      saleOf(cashier, at, number),
      at,
      CASHIER_PARAMETERS,
    )
    keep(next, cashier, location)
  }
  const act = (cashier: string, at: number, action: Partial<ActionFacts>): ScoredAction => {
    const known = read(cashier, '')
    const location = locationOfAction(TILL, known.till, known.cashier)
    const facts = { ...actionOf(cashier, at), location, ...action }
    const scored = scoreAction(facts, read(cashier, location), at, CASHIER_PARAMETERS)
    keep(scored.next, cashier, location)
    return scored
  }
  const work = (day: number, times: number): ScoredAction[] => {
    const own: ScoredAction[] = []
    for (const cashier of [...PEERS, WHO]) {
      const every = cashier === WHO ? Math.round(VOID_EVERY / times) : VOID_EVERY
      for (let number = 1; number <= SALES_PER_DAY; number += 1) {
        const at = NOW + day * DAY_MS + number * 5 * MINUTE_MS
        sell(cashier, at, number)
        if (number % every !== 0) continue
        const scored = act(cashier, at + 3 * MINUTE_MS, {})
        if (cashier === WHO) own.push(scored)
      }
    }
    return own
  }
  return { act: ({ minutes = 0, ...action }) => act(WHO, NOW + minutes * MINUTE_MS, action), work }
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
