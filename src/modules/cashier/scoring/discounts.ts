/** Discounts at the discretion of the cashier: how many, how large, and whether for one customer. */
import { type Assessment } from '../../behaviour/index.ts'
import { interpolate } from '../../risk/index.ts'
import { betaBinomialLogTail } from './beta-binomial.ts'
import type { Case } from './case.ts'
import { INDEX, leftOf } from './counts.ts'
import { topCustomer } from './customers.ts'
import { measure, NOTHING, strongestOf } from './measure.ts'
import { othersOf } from './peers.ts'
import { assessRate } from './rates.ts'

export function assessDiscounts(given: Case): Assessment {
  const { facts, before, counts, peers, parameters } = given
  const { rates } = parameters
  const isOverride = OVERRIDES.includes(facts.action_type)
  const found = isOverride ? [assessRate('override', counts, peers, rates), assessSize(given)] : []
  // Reduced items come with sales, which are not judged: the end of the shift is the time to.
  if (isOverride || facts.action_type === 'shift_end' || before.shifts.length === 0) {
    found.push(assessRate('discounted_sale', counts, peers, rates), assessConcentration(given))
  }
  return strongestOf(found)
}

const OVERRIDES: readonly string[] = ['discount_override', 'price_override']

/** Money given away per sale, against the same of the peers. */
function assessSize({ counts, peers, parameters }: Case): Assessment {
  const { size_ratio, size_overrides_over } = parameters.discounts
  const left = leftOf(counts.at, peers.now_ms, 'month').one
  const overrides = (counts.month[INDEX.override] ?? 0) * left
  const sales = (counts.month[INDEX.sale] ?? 0) * left
  let peerSize = 0
  let peerSales = 0
  for (const { at, month } of othersOf(peers)) {
    const { one } = leftOf(at, peers.now_ms, 'month')
    peerSize += (month[INDEX.override_size] ?? 0) * one
    peerSales += (month[INDEX.sale] ?? 0) * one
  }
  if (overrides <= size_overrides_over || sales < SALES_MIN || peerSales < SALES_MIN) return NOTHING
  const size = ((counts.month[INDEX.override_size] ?? 0) * left) / sales
  // One more mean sale given away by the peers, so that nothing is never divided by.
  const peerShare = (peerSize + 1) / peerSales
  return measure(interpolate(size_ratio, size / peerShare), 'override_size', {
    given_away_share: size,
    peers_share: peerShare,
    ratio: size / peerShare,
  })
}

const SALES_MIN = 100

/** Sweethearting: the same customer again and again. Staff who buy for themselves are not counted. */
function assessConcentration({ before, parameters }: Case): Assessment {
  const rules = parameters.discounts
  const { count, total } = topCustomer(before.customers)
  if (count <= rules.customer_sales_over) return NOTHING
  const tail = betaBinomialLogTail(
    count,
    Math.max(total, count),
    rules.customer_share,
    rules.customer_strength_of_share,
  )
  const strength = interpolate(parameters.rates.surprise, -tail / Math.LN10)
  return measure(Math.min(strength, rules.customer_strength_max), 'one_customer', {
    discounted_sales_to_customer: count,
    discounted_sales: total,
  })
}
