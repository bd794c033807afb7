/** How the four thefts look from the outside. Rates are in multiples of the thief's own honest one. */
import type { Random } from '../../src/platform/random.ts'
import { action, type Event, type Shift } from './shift.ts'

type Sale = Extract<Event, { type: 'sale' }>

/** What is stolen along with one sale, for most sales nothing; may change who the sale was for. */
export function createTheft(random: Random, shift: Shift, at: number, sale: Sale): Event[] {
  const { theft, rates } = shift.cashier
  if (theft === undefined || shift.day < theft.from_day || shift.is_desk) return []
  const more = theft.times - 1
  switch (theft.kind) {
    case 'void_skimming': {
      // The customer has paid in cash and left; the sale is voided and the money kept.
      if (!sale.facts.is_cash) return []
      if (!random.chance((more * rates.void) / shift.store.cash_share)) return []
      const { amount_cents } = sale.facts
      const later = random.between(20, 150) * 1000
      return [action(shift, 'void', at + later, { amount_cents })]
    }
    case 'fake_refunds': {
      if (!random.chance(more * rates.refund)) return []
      return [fakeRefund(random, shift, at + random.between(30, 240) * 1000)]
    }
    case 'no_sale_skimming': {
      return random.chance(more * rates.no_sale) ? [action(shift, 'no_sale', at + 60_000)] : []
    }
    case 'sweethearting': {
      if (!random.chance(more * rates.override)) return []
      const amount_cents = Math.round(sale.facts.amount_cents * random.between(0.3, 0.6))
      sale.facts.discount = 'override'
      // Some friends are careful enough not to show their card.
      sale.facts.customer_id = random.chance(0.6)
        ? random.pick(shift.cashier.accomplices)
        : undefined
      return [action(shift, 'discount_override', at, { amount_cents })]
    }
  }
}

function fakeRefund(random: Random, shift: Shift, at: number): Event {
  const unit = random.chance(0.7) ? 1000 : 500
  const amount_cents = unit * random.integer(1, 6)
  const how = random.uniform()
  if (how < 0.6) return action(shift, 'refund', at, { amount_cents })
  if (how < 0.8) return action(shift, 'refund', at, { amount_cents, order: null })
  const order = {
    cashier: 'other' as const,
    amount_cents: amount_cents + random.integer(100, 3000),
    currency: 'EUR',
    refunded_cents: 0,
    is_cash: true,
    ordered_at_ms: Math.round(at - random.exponential(3) * 86_400_000),
  }
  return action(shift, 'refund', at, { amount_cents, order })
}
