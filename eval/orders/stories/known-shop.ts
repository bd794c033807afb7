/** A small web shop with regular customers. Their amounts and habits are drawn by a seed. */
import type { OrderFacts } from '../../../src/modules/orders/scoring/facts.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../../../src/modules/orders/scoring/parameters.ts'
import type { Random } from '../../../src/platform/random.ts'
import { DAY_MS, HOUR_MS } from '../../../src/platform/time-units.ts'
import { orderFacts } from '../facts.ts'
import { createFold } from '../fold.ts'

export type KnownShop = {
  customers: number
  /** Median amount of the customers */
  usual_cents: number
  /** Time after the last of the known orders in ms */
  now_ms: number
  usualOf: (profile_id: string) => number
  /** @returns the risk score of an order */
  score: (some: Partial<OrderFacts> & { ordered_at_ms: number }) => number
}

const START = Date.UTC(2026, 2, 2)

export const customerOf = (number: number): string =>
  `c0000000-0000-4000-8000-${number.toString().padStart(12, '0')}`

export function openKnownShop(
  random: Random,
  { customers, days } = { customers: 15, days: 60 },
): KnownShop {
  const fold = createFold(DEFAULT_ORDER_PARAMETERS)
  const usual = Math.round(random.between(2_000, 12_000))
  const habits = Array.from({ length: customers }, (_, number) => ({
    profile_id: customerOf(number),
    usual_cents: Math.round(usual * random.lognormal(0.35)),
    spread: random.between(0.2, 0.45),
    every_days: random.between(1, 6),
    fingerprint_hash: `device ${number}`,
  }))
  const score: KnownShop['score'] = (some) => {
    const local_hour = Math.floor((some.ordered_at_ms % DAY_MS) / HOUR_MS)
    const facts = orderFacts({ amount_cents: usual, local_hour, ...some })
    return fold.score(facts, facts.ordered_at_ms).risk.risk_score
  }
  const orders = habits.flatMap(({ profile_id, usual_cents, spread, every_days, ...device }) => {
    const count = Math.max(1, Math.floor(days / every_days))
    return Array.from({ length: count }, (_, i) => ({
      ...device,
      profile_id,
      amount_cents: Math.round(usual_cents * random.lognormal(spread)),
      ordered_at_ms: START + Math.floor((i + random.uniform()) * every_days * DAY_MS),
    }))
  })
  for (const order of orders.toSorted((a, b) => a.ordered_at_ms - b.ordered_at_ms)) score(order)
  return {
    customers,
    usual_cents: usual,
    now_ms: START + (days + 1) * DAY_MS + 12 * HOUR_MS,
    usualOf: (profile_id) =>
      habits.find((each) => each.profile_id === profile_id)?.usual_cents ?? usual,
    score,
  }
}
