/**
 * Amount of an order against what its profile usually spends; when nobody is named, against what is
 * usual at the terminal or the store.
 */
import {
  type AmountAssessment,
  type AmountContext,
  assessAmount,
  EMPTY_RARITY,
  momentsOf,
  unusualAt,
} from '../../behaviour/index.ts'
import type { OrderFacts } from './facts.ts'
import { priorOf } from './organization.ts'
import type { OrderParameters } from './parameters.ts'
import type { OrderStates } from './states.ts'

/** What the amount is compared with, before the order is learnt. */
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
    // The next in a queue has nothing to do with the one before.
    unusual: isNamed ? unusualAt(states.profile?.velocity, at_ms) : 0,
  }
}

export function assessOrderAmount(
  { amount_cents }: OrderFacts,
  context: AmountContext,
  { amounts }: OrderParameters,
): AmountAssessment {
  return assessAmount(context, amount_cents, amounts)
}
