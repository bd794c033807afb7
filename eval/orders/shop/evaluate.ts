/**
 * The shop of each seed through the real scoring, without any decision: what share of each scenario is
 * found at a threshold that 0.5 % of the honest orders reach, and at the product's own threshold.
 */
import type { OrderParameters } from '../../../src/modules/orders/scoring/parameters.ts'
import type { ScoredOrder } from '../../../src/modules/orders/scoring/scoring.ts'
import { createFold } from '../fold.ts'
import { mean, thresholdForRate } from '../metrics.ts'
import {
  CLEAN_KINDS,
  type CleanKind,
  DAY_MS,
  FIRST_DAY_MS,
  SCENARIOS,
  type Scenario,
  type ShopOrder,
} from './order.ts'
import { type ShopSize, simulateShop } from './world.ts'

export const FALSE_ALARM_RATE = 0.005
export const REVIEW_SCORE = 50

export type ScoredShopOrder = ShopOrder & Pick<ScoredOrder, 'risk' | 'probability' | 'measurements'>

export type Detection = {
  /** Share of the episodes of which at least one order is found. */
  episodes: number
  /** Share of all orders of the episodes. */
  orders: number
  /** Median number of orders until the first that is found, in the found episodes. */
  orders_until_found: number
}

export type ShopSeed = {
  seed: number
  clean_orders: number
  /** Probability that the given share of honest orders reaches. */
  threshold: number
  scenarios: Record<Scenario, { at_rate: Detection; at_50: Detection }>
  /** Share of honest orders at 50 and above, and at 70 and above. */
  clean_at_50: number
  clean_at_70: number
  clean_at_50_by_kind: Record<CleanKind, number>
  /** CPU time per order. */
  cost_us: number
}

export type ShopEvaluation = { seeds: ShopSeed[]; mean: Omit<ShopSeed, 'seed'> }

export type ShopOptions = {
  seeds: readonly number[]
  size: ShopSize
  parameters: OrderParameters
  tell: (step: string) => void
}

export function evaluateShop({ seeds, size, parameters, tell }: ShopOptions): ShopEvaluation {
  const results = seeds.map((seed) => {
    tell(`shop, seed ${seed}`)
    const { judged, cost_us } = scoreShop(seed, size, parameters)
    return shopQuality(seed, judged, cost_us)
  })
  return { seeds: results, mean: meanOf(results) }
}

/** The orders that are judged, in order of arrival: those after the first weeks. */
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
    cost_us,
  }
}

function shareAt(orders: readonly ScoredShopOrder[], score: number): number {
  return orders.filter(({ risk }) => risk.risk_score >= score).length / orders.length
}

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

function meanOf(seeds: readonly ShopSeed[]): ShopEvaluation['mean'] {
  const over = (read: (seed: ShopSeed) => number) => mean(seeds.map(read))
  const detection = (read: (seed: ShopSeed) => Detection): Detection => ({
    episodes: over((seed) => read(seed).episodes),
    orders: over((seed) => read(seed).orders),
    orders_until_found: over((seed) => read(seed).orders_until_found),
  })
  return {
    clean_orders: over(({ clean_orders }) => clean_orders),
    threshold: over(({ threshold }) => threshold),
    scenarios: Object.fromEntries(
      SCENARIOS.map((scenario) => [
        scenario,
        {
          at_rate: detection(({ scenarios }) => scenarios[scenario].at_rate),
          at_50: detection(({ scenarios }) => scenarios[scenario].at_50),
        },
      ]),
    ) as ShopSeed['scenarios'],
    clean_at_50: over(({ clean_at_50 }) => clean_at_50),
    clean_at_70: over(({ clean_at_70 }) => clean_at_70),
    clean_at_50_by_kind: Object.fromEntries(
      CLEAN_KINDS.map((kind) => [kind, over((seed) => seed.clean_at_50_by_kind[kind])]),
    ) as ShopSeed['clean_at_50_by_kind'],
    cost_us: over(({ cost_us }) => cost_us),
  }
}
