/** Assesses discounts at the discretion of the cashier: their number, size and customers. */
import type { Assessment } from '../../behavior/index.ts'
import { interpolate } from '../../risk/index.ts'
import { betaBinomialLogTail } from './beta-binomial.ts'
import type { Case } from './case.ts'
import { INDEX, leftOf } from './counts.ts'
import { topCustomer } from './customers.ts'
import { measure, NOTHING, strongestOf } from './measure.ts'
import { othersOf } from './peers.ts'
import { assessActionRate, assessRate } from './rates.ts'

export function assessDiscounts(current: Case): Assessment {
  const { facts, before, counts, peers, parameters } = current
  const { rates } = parameters
  const isOverride = OVERRIDES.includes(facts.action_type)
  const found = isOverride ? [assessActionRate('override', current), assessSize(current)] : []
  // Discounted items are part of sales, which are not scored, so they are assessed at shift end.
  if (isOverride || facts.action_type === 'shift_end' || before.shifts.length === 0) {
    found.push(assessRate('discounted_sale', counts, peers, rates), assessConcentration(current))
  }
  return strongestOf(found)
}

const OVERRIDES: readonly string[] = ['discount_override', 'price_override']

/** Compares the money given away per sale with that of the peers. */
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
  // One more mean sale is added to the peers, so that the share is never zero.
  const peerShare = (peerSize + 1) / peerSales
  return measure(interpolate(size_ratio, size / peerShare), 'override_size', {
    given_away_share: size,
    peers_share: peerShare,
    ratio: size / peerShare,
  })
}

const SALES_MIN = 100

/** Finds sweethearting: repeated discounts for one customer. Employee purchases are not counted. */
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
