/**
 * Assesses refunds of a round amount that no real order explains, because people invent round
 * numbers. Where many sales have round amounts, a round refund counts less.
 */
import { DAY_MS } from '../../../platform/time-units.ts'
import { type Assessment, clamp } from '../../behavior/index.ts'
import type { Case } from './case.ts'
import { INDEX, leftOf } from './counts.ts'
import { roundness } from './currencies.ts'
import type { MatchedOrder } from './facts.ts'
import { measure, NOTHING, strongestOf } from './measure.ts'
import type { CashierParameters } from './parameters.ts'
import { assessRate } from './rates.ts'

export type Mismatch =
  | 'no_order'
  | 'unknown_order'
  | 'more_than_order'
  | 'order_of_another'
  | 'old_order'

export function assessRoundRefund(current: Case): Assessment {
  const { facts, currency, parameters, counts, peers } = current
  if (facts.action_type !== 'refund' || facts.amount_cents === undefined) return NOTHING
  const exact = roundness(facts.amount_cents, currency)
  const mismatch = mismatchOf(facts.order, facts.amount_cents, current.at_ms, current)
  const isUnmatched = facts.order === undefined || facts.order === null
  const near = exact === 0 && isUnmatched ? nearRoundness(facts.amount_cents, current) : 0
  const round = exact === 0 ? near : exact
  const share = roundShare(current, round)
  const numbers = {
    amount_cents: facts.amount_cents,
    currency,
    roundness: round,
    mismatch,
    round_share_of_sales: share,
    refunded_before_cents: facts.order?.refunded_cents,
  }
  if (round === 0 || mismatch === undefined) return measure(0, null, numbers)
  const rules = parameters.round_refunds
  const precision = near > 0 ? rules.near_share : 1
  const weight =
    precision * (round === 1 ? 1 : rules.half_round) * clamp(-Math.log10(share) / 1.5, 0, 1)
  const single = measure(
    strengthOf(mismatch, current) * weight,
    `round_refund_${mismatch}`,
    numbers,
  )
  return strongestOf([single, assessRate('unmatched_round', counts, peers, parameters.rates)])
}

/** Returns 1 for an amount slightly above a round one; slightly below are ordinary prices. */
function nearRoundness(amount_cents: number, { currency, parameters }: Case): 0 | 1 {
  for (let off = 1; off <= parameters.round_refunds.near_cents; off += 1) {
    if (roundness(amount_cents - off, currency) === 1) return 1
  }
  return 0
}

/** Whether a refund is large for the sales of the cashier; false while these are unknown. */
export function isLargeRefund(amount_cents: number, { before, parameters }: Case): boolean {
  const { mean_cents } = before.sales
  return mean_cents > 0 && amount_cents >= parameters.round_refunds.large_times * mean_cents
}

/** Returns the reason why the order does not explain the refund; undefined when it does. */
export function mismatchOf(
  order: MatchedOrder | null | undefined,
  amountCents: number,
  at_ms: number,
  { peers, parameters }: { peers: { role: string }; parameters: CashierParameters },
): Mismatch | undefined {
  if (order === undefined) return 'no_order'
  if (order === null) return 'unknown_order'
  if (order.refunded_cents + amountCents > order.amount_cents) return 'more_than_order'
  if (at_ms - order.ordered_at_ms > parameters.round_refunds.policy_days * DAY_MS) {
    return 'old_order'
  }
  // At a service desk, the order was always rung up by another cashier.
  return order.cashier === 'other' && peers.role === 'till' ? 'order_of_another' : undefined
}

function strengthOf(mismatch: Mismatch, current: Case): number {
  const { facts, counts, peers, parameters } = current
  const rules = parameters.round_refunds
  const { one } = leftOf(counts.at, peers.now_ms, 'week')
  const isRepeated = (counts.week[INDEX.unmatched_round] ?? 0) * one >= rules.repeated_from
  const isSuspicious = isRepeated || isLargeRefund(facts.amount_cents ?? 0, current)
  const strength =
    mismatch === 'no_order' && isSuspicious ? rules.no_order_suspicious : strengths(rules)[mismatch]
  return peers.role === 'desk' ? Math.min(strength, rules.desk_strength_max) : strength
}

const strengths = (rules: CashierParameters['round_refunds']): Record<Mismatch, number> => ({
  no_order: rules.no_order,
  unknown_order: rules.unknown_order,
  more_than_order: rules.unknown_order,
  old_order: rules.other_mismatch,
  order_of_another: rules.other_mismatch / 2,
})

/** Returns the share of round sales of the organization, without those of this cashier. */
function roundShare({ peers, parameters }: Case, round: 0 | 0.5 | 1): number {
  const kind = round === 1 ? INDEX.round_sale : INDEX.half_round_sale
  const { prior_share, prior_sales } = parameters.round_refunds
  let rounds = prior_share * prior_sales
  let sales = prior_sales
  const add = (at: number, month: readonly number[]) => {
    const { one } = leftOf(at, peers.now_ms, 'month')
    rounds += (month[kind] ?? 0) * one
    sales += (month[INDEX.sale] ?? 0) * one
  }
  for (const { id, at, month } of peers.store?.members ?? [])
    if (id !== peers.cashier) add(at, month)
  for (const { id, at, month } of peers.organization?.stores ?? []) {
    if (id !== peers.location) add(at, month)
  }
  return clamp(rounds / sales, 0.001, 1)
}
