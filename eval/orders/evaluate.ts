/**
 * How well orders are scored: card transactions by published rules, and a shop of our own. Text or JSON;
 * progress goes to `tell`.
 */
import { DEFAULT_ORDER_PARAMETERS } from '../../src/modules/orders/scoring/parameters.ts'
import { evaluateCards } from './cards/evaluate.ts'
import { printCards } from './cards/report.ts'
import { PUBLISHED_SIZE, QUICK_SIZE } from './cards/world.ts'
import { evaluateShop, scoreShop } from './shop/evaluate.ts'
import { printMisses, printShop } from './shop/report.ts'
import { QUICK_SHOP_SIZE, SHOP_SIZE } from './shop/world.ts'

export type OrderEvaluationOptions = {
  /** The first seed; others follow it. */
  seed: number
  /** Of the card world, which is the expensive one. */
  seeds: number
  /** A fifth of the card world and a smaller shop. */
  isQuick: boolean
  asJson: boolean
  /** Shows what the shop's fraud looked like where it was missed, and the false alarms. */
  withMisses: boolean
  tell: (step: string) => void
}

/** The shop costs a second per seed. */
const SHOP_SEEDS = 5

export function evaluateOrders(options: OrderEvaluationOptions): string {
  const { seed, seeds, isQuick, asJson, withMisses, tell } = options
  const parameters = DEFAULT_ORDER_PARAMETERS
  const following = (count: number) => Array.from({ length: count }, (_, index) => seed + index)
  const shopSize = isQuick ? QUICK_SHOP_SIZE : SHOP_SIZE
  const shop = evaluateShop({ seeds: following(SHOP_SEEDS), size: shopSize, parameters, tell })
  const cards = evaluateCards({
    seeds: following(seeds),
    size: isQuick ? QUICK_SIZE : PUBLISHED_SIZE,
    parameters,
    tell,
  })
  if (asJson) return JSON.stringify({ shop, cards })
  const parts = [printShop(shop), printCards(cards)]
  if (withMisses) {
    const { judged } = scoreShop(seed, shopSize, parameters)
    parts.push(printMisses(judged, shop.seeds[0]?.threshold ?? 1))
  }
  return parts.join('\n\n')
}
