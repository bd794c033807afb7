/**
 * Compares the amount of an order with what its profile usually spends, or with what is usual in
 * the organization: for a profile without a history, and for an anonymous order, which is compared
 * with its terminal or store, too.
 */

import { DAY_MS } from '../../../platform/time-units.ts'
import {
  type AmountContext,
  type AmountsParameters,
  EMPTY_RARITY,
  type MomentsState,
  momentsOf,
  spendingAt,
  unusualAt,
} from '../../behavior/index.ts'
import type { ProfileState } from '../../profiles/index.ts'
import type { OrderFacts } from './facts.ts'
import { priorOf, recordOf } from './organization.ts'
import type { OrderStates } from './states.ts'

/** Returns what the amount is compared with, from the states before the order is learned. */
export function amountContext(
  facts: OrderFacts,
  states: OrderStates,
  at_ms: number,
  parameters: AmountsParameters,
): AmountContext {
  const { organization, profile } = states
  const isNamed = facts.profile_id !== undefined
  const place = isNamed ? undefined : (states.terminal ?? states.store)
  const amounts = isNamed ? profile?.amounts : place?.amounts
  const own = amounts && momentsOf(amounts, facts.currency)
  const prior = priorOf(organization, facts)
  const spent = isNamed ? spendingAt(profile?.spending, at_ms) : 0
  return {
    who: isNamed
      ? isSettled(profile, own, at_ms, parameters)
        ? 'settled'
        : 'young'
      : whoElse(facts),
    own,
    prior,
    rarity: organization?.rarity ?? EMPTY_RARITY,
    stranger_rarity: organization?.stranger_rarity ?? EMPTY_RARITY,
    shared_rarity: organization?.shared_rarity ?? EMPTY_RARITY,
    // At a terminal, the next customer has nothing to do with the previous one.
    unusual: isNamed ? unusualAt(profile?.velocity, at_ms) : 0,
    day_cents: prior === undefined ? 0 : spent * prior.mean * prior.mean,
    record_cents: recordOf(organization, facts.currency),
    at_ms,
  }
}

const whoElse = ({ edge_device_id, location_name }: OrderFacts): 'place' | 'guest' =>
  edge_device_id === undefined && location_name === undefined ? 'guest' : 'place'

/** Whether a profile has a history in orders and in days. */
function isSettled(
  profile: ProfileState | undefined,
  own: MomentsState | undefined,
  at_ms: number,
  { settled_orders, settled_days }: AmountsParameters,
): boolean {
  if (profile === undefined || own === undefined || own.n < settled_orders) return false
  const { since } = profile.velocity
  return since > 0 && at_ms - since >= settled_days * DAY_MS
}
