/** What is in an order: lines of a catalogue that sum up to about what was meant to be spent. */
import type { OrderRequest } from '../../src/modules/orders/schema.ts'
import type { Random } from '../../src/platform/random.ts'

type Item = NonNullable<OrderRequest['items']>[number]
type Discount = 'none' | 'employee' | 'override'

const CATALOGUE = [
  ['bread-rye', 'bakery', 349],
  ['rolls-6', 'bakery', 239],
  ['milk-1l', 'dairy', 139],
  ['butter-250', 'dairy', 259],
  ['gouda-400', 'dairy', 459],
  ['yoghurt-4', 'dairy', 219],
  ['apples-1kg', 'fruit', 299],
  ['bananas-1kg', 'fruit', 199],
  ['salad-mix', 'vegetables', 189],
  ['potatoes-2kg', 'vegetables', 349],
  ['tomatoes-500', 'vegetables', 279],
  ['pasta-500', 'pantry', 129],
  ['rice-1kg', 'pantry', 249],
  ['olive-oil', 'pantry', 899],
  ['coffee-500', 'drinks', 749],
  ['water-6', 'drinks', 299],
  ['juice-1l', 'drinks', 279],
  ['wine-red', 'drinks', 699],
  ['salmon-200', 'fish', 599],
  ['chicken-600', 'meat', 649],
  ['ham-150', 'meat', 329],
  ['detergent', 'household', 549],
  ['paper-8', 'household', 479],
  ['shampoo', 'care', 349],
  ['chocolate', 'sweets', 199],
  ['ice-cream', 'frozen', 449],
  ['pizza', 'frozen', 329],
  ['batteries-8', 'electrics', 799],
  ['headphones', 'electrics', 3_499],
  ['gift-card-25', 'vouchers', 2_500],
] as const

const LINES_MAX = 12

export type Basket = Pick<OrderRequest, 'amount_cents' | 'item_count' | 'items'>

export function fillBasket(random: Random, goalCents: number, discount: Discount = 'none'): Basket {
  const items: Item[] = []
  let sum = 0
  while (items.length < LINES_MAX && (sum < goalCents * 0.9 || items.length === 0)) {
    const left = Math.max(120, goalCents - sum)
    const affordable = CATALOGUE.filter(([, , price]) => price <= left * 1.3)
    const [id, category, price] = random.pick(affordable.length > 0 ? affordable : CATALOGUE)
    const quantity = Math.max(1, Math.min(6, Math.floor((left / price) * random.between(0.1, 0.7))))
    const reduced =
      items.length === 0 && discount !== 'none' ? Math.round(price * quantity * 0.15) : 0
    const total = price * quantity - reduced
    sum += total
    items.push({
      external_item_id: id,
      item_category: category,
      quantity,
      unit_price_cents: price,
      total_price_cents: total,
      ...(reduced > 0 && { discount_cents: reduced, discount_type: discount }),
    })
  }
  return {
    amount_cents: sum,
    item_count: items.reduce((count, { quantity }) => count + quantity, 0),
    items,
  }
}
