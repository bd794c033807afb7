/**
 * Thefts at the till as they look from the outside. Rates are multiples of the thief's own honest ones.
 */
import type { Random } from '../src/platform/random.ts'
import { type Action, actionOf, type Order } from './events.ts'
import type { Shift } from './stores.ts'
import { DAY_MS, MINUTE_MS } from './time.ts'

/**
 * Adds a theft to a sale, for most sales none. A theft can change the customer and the discount of the
 * sale.
 */
export function theftAtSale(random: Random, sale: Order, shift: Shift): Action[] {
  const { store, cashier, day, is_desk } = shift
  const { theft, rates } = cashier
  if (theft === undefined || day < theft.from || is_desk) return []
  const { amount_cents } = sale
  const steal = (action: Action['action'], later_s: number, details?: Partial<Action>) => [
    actionOf(shift, action, Math.round(sale.at + later_s * 1_000), { is_theft: true, ...details }),
  ]
  const more = theft.times - 1
  switch (theft.kind) {
    case 'void_skimming':
      // The customer has paid in cash and left; the sale is voided and the money kept.
      if (sale.payment !== 'cash' || !random.chance((more * rates.void) / store.cash_share))
        return []
      return steal('void', random.between(20, 150), { amount_cents })
    case 'fake_refunds':
      if (!random.chance(more * rates.refund)) return []
      return steal('refund', random.between(30, 240), fakeRefund(random, sale.at))
    case 'no_sale_skimming':
      return random.chance(more * rates.no_sale) ? steal('no_sale', 60) : []
    case 'sweethearting':
      if (!random.chance(more * rates.override)) return []
      sale.discount = 'override'
      // Some accomplices are careful enough not to show their card.
      sale.customer = random.chance(0.6)
        ? `${cashier.id} ${random.pick(['friend', 'cousin'])}`
        : undefined
      return steal('discount_override', 0, {
        amount_cents: Math.round(amount_cents * random.between(0.3, 0.6)),
      })
    case 'closing_refunds':
      return []
  }
}

function fakeRefund(random: Random, at: number): Partial<Action> {
  const amount_cents = (random.chance(0.7) ? 1_000 : 500) * random.integer(1, 6)
  const how = random.uniform()
  if (how < 0.6) return { amount_cents }
  if (how < 0.8) return { amount_cents, receipt: null }
  const receipt = {
    cashier: 'other' as const,
    amount_cents: amount_cents + random.integer(100, 3_000),
    is_cash: true,
    ordered_at_ms: Math.round(at - random.exponential(3) * DAY_MS),
  }
  return { amount_cents, receipt }
}

const CLOSING_MINUTES = 45

/** Refunds of goods that no one returned and voids of paid sales, shortly before the store closes. */
export function closingTheft(random: Random, shift: Shift): Action[] {
  const { theft } = shift.cashier
  if (theft?.kind !== 'closing_refunds' || shift.day < theft.from) return []
  const steal = (action: Action['action'], details: Partial<Action>): Action => {
    const at = Math.round(shift.end - random.between(4, CLOSING_MINUTES) * MINUTE_MS)
    return actionOf(shift, action, at, { is_theft: true, ...details })
  }
  const refunds = Array.from({ length: random.integer(2, 4) }, () => {
    const amount_cents = random.pick([2_000, 3_000, 4_000, 5_000])
    return steal('refund', { amount_cents, ...(random.chance(0.6) && { receipt: null }) })
  })
  const voids = Array.from({ length: random.integer(1, 2) }, () =>
    steal('void', { amount_cents: random.integer(90, 420) * 10 }),
  )
  return [...refunds, ...voids]
}
