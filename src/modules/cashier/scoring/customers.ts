/**
 * The customers who received most discounts of a cashier, by the space-saving algorithm: a new
 * customer replaces the one with the lowest count and inherits that count as a possible error, which
 * is subtracted on reading.
 */
import { decay, round } from '../../behavior/index.ts'

const CUSTOMERS_MAX = 4

export type Customer = { id: string; count: number; error: number }

export type CustomersState = {
  /** Time in ms to which the counts are decayed. */
  at: number
  /** Decayed count of all discounted sales to known customers. */
  total: number
  top: readonly Customer[]
}

export const EMPTY_CUSTOMERS: CustomersState = { at: 0, total: 0, top: [] }

export function addCustomer(
  state: CustomersState,
  id: string,
  at_ms: number,
  halfLifeMs: number,
): CustomersState {
  const left = decay(at_ms - state.at, halfLifeMs)
  const weight = decay(state.at - at_ms, halfLifeMs)
  const top = state.top.map((customer) => ({
    id: customer.id,
    count: round(customer.count * left),
    error: round(customer.error * left),
  }))
  const known = top.find((customer) => customer.id === id)
  if (known) known.count = round(known.count + weight)
  else if (top.length < CUSTOMERS_MAX) top.push({ id, count: round(weight), error: 0 })
  else replaceLeast(top, id, weight)
  return { at: Math.max(state.at, at_ms), total: round(state.total * left + weight), top }
}

/** Returns the certain count of the customer with the most discounted sales. */
export function topCustomer(state: CustomersState): { count: number; total: number } {
  let most = 0
  for (const { count, error } of state.top) most = Math.max(most, count - error)
  return { count: most, total: state.total }
}

function replaceLeast(top: Customer[], id: string, weight: number): void {
  let least = 0
  top.forEach(({ count }, index) => {
    if (count < (top[least]?.count ?? 0)) least = index
  })
  const error = top[least]?.count ?? 0
  top[least] = { id, count: round(error + weight), error }
}
