/** The items and the prices of orders: two assortments, each with its kind of prices. */
import type { Random } from '../src/platform/random.ts'

export type Item = {
  id?: string
  category?: string
  quantity: number
  unit_price_cents: number
  total_price_cents: number
  discount_cents: number
  discount_type?: 'percentage'
}

/** `items` is empty when a shop sends the total only. */
export type Basket = { amount_cents: number; item_count: number; items: Item[] }

/** Fills a basket of about this total; `pieces` for the bulk orders of businesses. */
export type Assortment = (random: Random, goal_cents: number, pieces?: number) => Basket

export type Habit = {
  /** Median of an order */
  basket_cents: number
  /** Standard deviation of the logarithm of the amount */
  spread: number
  is_business?: boolean
}

const BIG_PURCHASE_SHARE = 0.025

/** The total that someone with this habit spends; `factor` for gifts and the like. */
export function honestBasket(random: Random, goods: Assortment, habit: Habit, factor = 1): Basket {
  const big = random.chance(BIG_PURCHASE_SHARE) ? random.between(3, 9) : 1
  const goal = habit.basket_cents * random.lognormal(habit.spread) * big * factor
  return goods(random, goal, habit.is_business ? random.integer(5, 200) : undefined)
}

const basketOf = (items: Item[]): Basket => ({
  amount_cents: items.reduce((sum, { total_price_cents }) => sum + total_price_cents, 0),
  item_count: items.reduce((sum, { quantity }) => sum + quantity, 0),
  items,
})

const FREE_SHIPPING_CENTS = 5_000
const SHIPPING_CENTS = 495
const LISTS_ITEMS_SHARE = 0.6

/** Electronics and household goods, with shipping and vouchers. */
export const housewares: Assortment = (random, goal_cents, pieces) => {
  const lines = 1 + Math.min(7, random.poisson(pieces === undefined ? 0.9 : 2))
  const perLine = Math.max(1, Math.floor((pieces ?? lines) / lines))
  const items = Array.from({ length: lines }, () =>
    houseware(random, (goal_cents / lines) * random.between(0.5, 1.5), perLine),
  )
  const { amount_cents, item_count } = basketOf(items)
  const hasShipping = amount_cents < FREE_SHIPPING_CENTS && random.chance(0.4)
  // A voucher lowers the total and appears on no line.
  const voucher = random.chance(0.05) ? Math.round(amount_cents * 0.1) : 0
  return {
    amount_cents: amount_cents + (hasShipping ? SHIPPING_CENTS : 0) - voucher,
    item_count,
    items: random.chance(LISTS_ITEMS_SHARE) ? items : [],
  }
}

function houseware(random: Random, cents: number, pieces: number): Item {
  const quantity = pieces === 1 && random.chance(0.15) ? 2 : pieces
  const price = cents / quantity
  // Prices end in 99 from five euros, otherwise in 9.
  const step = price >= 500 ? 100 : 10
  const unit_price_cents = Math.max(9, Math.round(price / step) * step - 1)
  const isReduced = random.chance(0.08)
  const discount_cents = isReduced ? Math.round(unit_price_cents * quantity * 0.2) : 0
  return {
    ...line(unit_price_cents, quantity, discount_cents),
    ...(isReduced && { discount_type: 'percentage' }),
  }
}

const line = (unit_price_cents: number, quantity: number, discount_cents = 0): Item => ({
  quantity,
  unit_price_cents,
  total_price_cents: unit_price_cents * quantity - discount_cents,
  discount_cents,
})

/** Category, article and price in cents. */
const GROCERIES = Object.entries({
  bakery: 'bread-rye 349, rolls-6 239',
  dairy: 'milk-1l 139, butter-250 259, gouda-400 459, yogurt-4 219',
  fruit: 'apples-1kg 299, bananas-1kg 199',
  vegetables: 'salad-mix 189, potatoes-2kg 349, tomatoes-500 279',
  pantry: 'pasta-500 129, rice-1kg 249, olive-oil 899',
  drinks: 'coffee-500 749, water-6 299, juice-1l 279, wine-red 699',
  fish: 'salmon-200 599',
  meat: 'chicken-600 649, ham-150 329',
  household: 'detergent 549, paper-8 479',
  care: 'shampoo 349',
  sweets: 'chocolate 199',
  frozen: 'ice-cream 449, pizza 329',
  electronics: 'batteries-8 799, headphones 3499',
  vouchers: 'gift-card-25 2500',
}).flatMap(([category, articles]) =>
  articles.split(', ').map((article) => {
    const [id = '', price] = article.split(' ')
    return { id, category, price: Number(price) }
  }),
)

const GROCERY_LINES_MAX = 12

/** A supermarket: lines of a catalog that add up to the total. */
export const groceries: Assortment = (random, goal_cents) => {
  const items: Item[] = []
  let sum = 0
  while (items.length < GROCERY_LINES_MAX && (sum < goal_cents * 0.9 || items.length === 0)) {
    const left = Math.max(120, goal_cents - sum)
    const affordable = GROCERIES.filter(({ price }) => price <= left * 1.3)
    const { id, category, price } = random.pick(affordable.length > 0 ? affordable : GROCERIES)
    const pieces = Math.floor((left / price) * random.between(0.1, 0.7))
    const quantity = Math.max(1, Math.min(6, pieces))
    sum += price * quantity
    items.push({ id, category, ...line(price, quantity) })
  }
  return basketOf(items)
}
