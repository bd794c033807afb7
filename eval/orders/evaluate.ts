/**
 * Evaluates the scoring of orders: card transactions by published rules, a shop of the world, and
 * stories of attacks on what the scoring takes as usual.
 */

import { DEFAULT_ORDER_PARAMETERS } from '../../src/modules/orders/scoring/parameters.ts'
import { createRandom } from '../../src/platform/random.ts'
import { evaluateCards } from './cards/evaluate.ts'
import { printCards } from './cards/report.ts'
import { PUBLISHED_SIZE, QUICK_SIZE } from './cards/world.ts'
import { evaluateShop, scoreShop } from './shop/evaluate.ts'
import { printMisses, printShop } from './shop/report.ts'
import { QUICK_SHOP_SIZE, SHOP_SIZE } from './shop/shop.ts'
import { playStories, printStories } from './stories/attacks.ts'
import { playTills, printTills } from './stories/tills.ts'

export type OrderEvaluationOptions = {
  /** The first seed; the others follow it. */
  seed: number
  /** Number of seeds of the card transactions, which are the expensive part. */
  seeds: number
  /** A fifth of the card transactions and a smaller shop. */
  isQuick: boolean
  asJson: boolean
  /** Adds the episodes of the shop that were missed, and the worst false alarms. */
  withMisses: boolean
  onProgress: (step: string) => void
}

/** The shop takes only seconds per seed. */
const SHOP_SEEDS = 5
/** Shops in which each story is played. */
const STORY_SHOPS = 100
const QUICK_STORY_SHOPS = 10

export function evaluateOrders(options: OrderEvaluationOptions): string {
  const { seed, seeds, isQuick, asJson, withMisses, onProgress } = options
  const parameters = DEFAULT_ORDER_PARAMETERS
  const following = (count: number) => Array.from({ length: count }, (_, index) => seed + index)
  const shopSize = isQuick ? QUICK_SHOP_SIZE : SHOP_SIZE
  const usual = { parameters, onProgress }
  const shop = evaluateShop({ ...usual, seeds: following(SHOP_SEEDS), size: shopSize })
  onProgress('stories')
  const random = createRandom(seed, 'stories')
  const stories = playStories(random, isQuick ? QUICK_STORY_SHOPS : STORY_SHOPS)
  const tills = playTills(random)
  const size = isQuick ? QUICK_SIZE : PUBLISHED_SIZE
  const cards = evaluateCards({ ...usual, seeds: following(seeds), size })
  if (asJson) return JSON.stringify({ shop, stories, tills, cards })
  const parts = [printShop(shop), printStories(stories), printTills(tills), printCards(cards)]
  if (withMisses) {
    const { judged } = scoreShop(seed, shopSize, parameters)
    parts.push(printMisses(judged, shop.seeds[0]?.threshold ?? 1))
  }
  return parts.join('\n\n')
}
