/**
 * Scores the shop of each seed without any decision, and measures the share of each scenario that is
 * found at a threshold that 0.5 % of the honest orders reach, and at the product's own threshold.
 */
import type { OrderParameters } from '../../../src/modules/orders/scoring/parameters.ts'
import type { ScoredOrder } from '../../../src/modules/orders/scoring/scoring.ts'
import { RISK_LEVELS, type RiskLevel, recordOf } from '../../../src/modules/risk/index.ts'
import { CLEAN_KINDS, type CleanKind, SCENARIOS, type Scenario } from '../../../world/events.ts'
import { DAY_MS } from '../../../world/time.ts'
import type { ShopOrder } from '../facts.ts'
import { createFold } from '../fold.ts'
import { meanOf, thresholdForRate } from '../metrics.ts'
import { FIRST_DAY_MS, type ShopSize, simulateShop } from './shop.ts'

export const FALSE_ALARM_RATE = 0.005
export const REVIEW_SCORE = 50

export type ScoredShopOrder = ShopOrder & Pick<ScoredOrder, 'risk' | 'probability' | 'measurements'>

export type Detection = {
  /** Share of the episodes with at least one order that is found */
  episodes: number
  /** Share of all orders of the episodes */
  orders: number
  /** Median number of orders until the first one that is found, in the episodes that are found */
  orders_until_found: number
}

export type ShopSeed = {
  seed: number
  clean_orders: number
  /** Probability that `FALSE_ALARM_RATE` of the honest orders reaches */
  threshold: number
  scenarios: Record<Scenario, { at_rate: Detection; at_50: Detection }>
  /** Share of the honest orders at 50 and above, and at 70 and above */
  clean_at_50: number
  clean_at_70: number
  clean_at_50_by_kind: Record<CleanKind, number>
  /** By risk level, without decisions */
  calibration: Record<RiskLevel, { honest: number; frauds: number }>
  cost_us: number
}

export type ShopEvaluation = { seeds: ShopSeed[]; mean: Omit<ShopSeed, 'seed'> }

export type ShopOptions = {
  seeds: readonly number[]
  size: ShopSize
  parameters: OrderParameters
  onProgress: (step: string) => void
}

export function evaluateShop({ seeds, size, parameters, onProgress }: ShopOptions): ShopEvaluation {
  const results = seeds.map((seed) => {
    onProgress(`shop, seed ${seed}`)
    const { judged, cost_us } = scoreShop(seed, size, parameters)
    return shopQuality(seed, judged, cost_us)
  })
  return { seeds: results, mean: meanOf(results.map(({ seed: _seed, ...quality }) => quality)) }
}

/** The orders after the first weeks, which are judged, by arrival. */
export function scoreShop(
  seed: number,
  size: ShopSize,
  parameters: OrderParameters,
): { judged: ScoredShopOrder[]; cost_us: number } {
  const orders = simulateShop(seed, size)
  const fold = createFold(parameters)
  const started = process.cpuUsage()
  const scored = orders.map((order): ScoredShopOrder => {
    const { risk, probability, measurements } = fold.score(order.facts, order.arrives_ms)
    return { ...order, risk, probability, measurements }
  })
  const { user, system } = process.cpuUsage(started)
  const cost_us = (user + system) / orders.length
  const judged_from_ms = FIRST_DAY_MS + size.warm_up_days * DAY_MS
  return { judged: scored.filter(({ arrives_ms }) => arrives_ms >= judged_from_ms), cost_us }
}

export function shopQuality(seed: number, judged: ScoredShopOrder[], cost_us: number): ShopSeed {
  const clean = judged.filter(({ truth }) => !truth.is_fraud)
  const threshold = thresholdForRate(
    clean.map(({ probability }) => probability),
    FALSE_ALARM_RATE,
  )
  const scenarios = Object.fromEntries(
    SCENARIOS.map((scenario) => {
      const episodes = episodesOf(judged, scenario)
      const at_rate = detectionOf(episodes, ({ probability }) => probability >= threshold)
      const at_50 = detectionOf(episodes, ({ risk }) => risk.risk_score >= REVIEW_SCORE)
      return [scenario, { at_rate, at_50 }]
    }),
  ) as ShopSeed['scenarios']
  const clean_at_50_by_kind = Object.fromEntries(
    CLEAN_KINDS.map((kind) => {
      const some = clean.filter(({ truth }) => !truth.is_fraud && truth.kind === kind)
      return [kind, shareAt(some, REVIEW_SCORE)]
    }),
  ) as ShopSeed['clean_at_50_by_kind']
  return {
    seed,
    clean_orders: clean.length,
    threshold,
    scenarios,
    clean_at_50: shareAt(clean, REVIEW_SCORE),
    clean_at_70: shareAt(clean, 70),
    clean_at_50_by_kind,
    calibration: recordOf(RISK_LEVELS, (level) => {
      const some = judged.filter(({ risk }) => risk.risk_level === level)
      const frauds = some.filter(({ truth }) => truth.is_fraud).length
      return { honest: some.length - frauds, frauds }
    }),
    cost_us,
  }
}

const shareAt = (orders: readonly ScoredShopOrder[], score: number): number =>
  orders.filter(({ risk }) => risk.risk_score >= score).length / orders.length

export function episodesOf(
  judged: readonly ScoredShopOrder[],
  scenario: Scenario,
): ScoredShopOrder[][] {
  const episodes = new Map<number, ScoredShopOrder[]>()
  for (const order of judged) {
    const { truth } = order
    if (!truth.is_fraud || truth.scenario !== scenario) continue
    const list = episodes.get(truth.episode)
    if (list) list.push(order)
    else episodes.set(truth.episode, [order])
  }
  return [...episodes.values()]
}

function detectionOf(
  episodes: readonly ScoredShopOrder[][],
  isFound: (order: ScoredShopOrder) => boolean,
): Detection {
  const firsts = episodes.map((orders) => orders.findIndex(isFound)).filter((index) => index >= 0)
  const orders = episodes.flat()
  return {
    episodes: firsts.length / episodes.length,
    orders: orders.filter(isFound).length / orders.length,
    orders_until_found: (firsts.toSorted((a, b) => a - b)[firsts.length >> 1] ?? NaN) + 1,
  }
}
