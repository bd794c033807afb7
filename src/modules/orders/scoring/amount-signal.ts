/**
 * Compares the amount of an order with what its profile usually spends, or for an anonymous order
 * with what is usual at the terminal or store.
 */
import { type AmountContext, EMPTY_RARITY, momentsOf, unusualAt } from '../../behavior/index.ts'
import type { OrderFacts } from './facts.ts'
import { priorOf } from './organization.ts'
import type { OrderStates } from './states.ts'

/** Returns what the amount is compared with, from the states before the order is learned. */
export function amountContext(
  facts: OrderFacts,
  states: OrderStates,
  at_ms: number,
): AmountContext {
  const isNamed = facts.profile_id !== undefined
  const amounts = isNamed ? states.profile?.amounts : (states.terminal ?? states.store)?.amounts
  return {
    own: amounts && momentsOf(amounts, facts.currency),
    prior: priorOf(states.organization, facts),
    rarity: states.organization?.rarity ?? EMPTY_RARITY,
    // At a terminal, the next customer has nothing to do with the previous one.
    unusual: isNamed ? unusualAt(states.profile?.velocity, at_ms) : 0,
  }
}
