/** What an order costs and what is in it: prices with ends, big purchases, shipping, vouchers. */
import type { ItemFacts } from '../../../src/modules/orders/scoring/facts.ts'
import type { Random } from '../../../src/platform/random.ts'

export type Basket = { amount_cents: number; item_count: number; items: ItemFacts[] }

const BIG_PURCHASE_SHARE = 0.025
const FREE_SHIPPING_CENTS = 5_000
const SHIPPING_CENTS = 495
/** The rest of the shops send only the total. */
const LISTS_ITEMS_SHARE = 0.6

export type BasketHabit = { basket_cents: number; spread: number; is_business: boolean }

/** An honest basket; `factor` for gifts and the like. */
export function fillBasket(random: Random, habit: BasketHabit, factor = 1): Basket {
  const big = random.chance(BIG_PURCHASE_SHARE) ? random.between(3, 9) : 1
  const goal = habit.basket_cents * random.lognormal(habit.spread) * big * factor
  return basketOf(random, goal, habit.is_business ? random.integer(5, 200) : undefined)
}

/** A basket of about this total. */
export function basketOf(random: Random, goal_cents: number, pieces?: number): Basket {
  const lines = 1 + Math.min(7, random.poisson(pieces === undefined ? 0.9 : 2))
  const per_line = Math.max(1, Math.floor((pieces ?? lines) / lines))
  const items = Array.from({ length: lines }, () =>
    itemOf(random, (goal_cents / lines) * random.between(0.5, 1.5), per_line),
  )
  const goods = items.reduce((sum, { total_price_cents }) => sum + total_price_cents, 0)
  const shipping = goods < FREE_SHIPPING_CENTS && random.chance(0.4) ? SHIPPING_CENTS : 0
  // A voucher lowers the total and stands on no line.
  const voucher = random.chance(0.05) ? Math.round(goods * 0.1) : 0
  return {
    amount_cents: goods + shipping - voucher,
    item_count: items.reduce((sum, { quantity }) => sum + quantity, 0),
    items: random.chance(LISTS_ITEMS_SHARE) ? items : [],
  }
}

function itemOf(random: Random, cents: number, pieces: number): ItemFacts {
  const quantity = pieces === 1 && random.chance(0.15) ? 2 : pieces
  const unit_price_cents = priced(cents / quantity)
  const isReduced = random.chance(0.08)
  const discount_cents = isReduced ? Math.round(unit_price_cents * quantity * 0.2) : 0
  return {
    quantity,
    unit_price_cents,
    total_price_cents: unit_price_cents * quantity - discount_cents,
    discount_cents,
    discount_type: isReduced ? 'percentage' : undefined,
  }
}

/** Prices end in 99 from five euros, else in 9. */
function priced(cents: number): number {
  return cents >= 500
    ? Math.round(cents / 100) * 100 - 1
    : Math.max(9, Math.round(cents / 10) * 10 - 1)
}
