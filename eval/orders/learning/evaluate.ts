/**
 * Finds the number of confirmed frauds from which weights that are learned from them rank the
 * following orders better than the shipped ones. Each organization is scored once; the frauds before
 * one day, the newest first, are learned from, and the orders from a week after that day are judged.
 */
import type { Weights } from '../../../src/modules/orders/learning/schema.ts'
import {
  isFlagged,
  learnWeights,
  type Outcome,
} from '../../../src/modules/orders/learning/weights.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../../../src/modules/orders/scoring/parameters.ts'
import { combinedProbability, recordOf } from '../../../src/modules/risk/index.ts'
import { createRandom } from '../../../src/platform/random.ts'
import { DAY_MS } from '../../../src/platform/time-units.ts'
import { replayCards } from '../cards/replay.ts'
import { createCardScorer } from '../cards/scorer.ts'
import { simulateCards } from '../cards/simulate.ts'
import { type CardWorldSize, DAY_S } from '../cards/world.ts'
import { averagePrecision, mean, meanOf } from '../metrics.ts'
import { scoreShop } from '../shop/evaluate.ts'
import { FIRST_DAY_MS, type ShopSize } from '../shop/shop.ts'

export const ORGANIZATIONS = ['cards', 'shop', 'travelers'] as const
export type Organization = (typeof ORGANIZATIONS)[number]

export const FRAUDS = [20, 40, 80, 160, 320, 640] as const

/** The later orders that one set of weights finds. */
export type Quality = {
  average_precision: number
  /** Share of the frauds that are flagged for review */
  recall: number
  /** Share of the flagged orders that are fraud */
  precision: number
  /** Flagged orders */
  flagged: number
}

export type LearnedQuality = {
  organization: Organization
  frauds: number
  /** Seeds with enough frauds to learn from */
  seeds: number
  shipped: Quality
  learned: Quality
  /** Seeds in which the average precision rose */
  better: number
  /** Mean of the learned weights */
  weights: Weights
}

export type LearningOptions = {
  seeds: readonly number[]
  card_size: CardWorldSize
  shop_size: ShopSize
  onProgress: (step: string) => void
}

export type Dated = Outcome & { day: number }
export type Split = { before: Dated[]; after: Dated[] }

export const evaluateLearning = (options: LearningOptions): LearnedQuality[] =>
  evaluateSplits(splitsOf(options))

/** The orders of each organization, before and after the day of learning, one for each seed. */
export type Splits = Readonly<Record<Organization, readonly Split[]>>

export function splitsOf({ seeds, onProgress, ...sizes }: LearningOptions): Splits {
  return recordOf(ORGANIZATIONS, (organization) =>
    seeds.map((seed) => {
      onProgress(`learning, ${organization}, seed ${seed}`)
      return splitOf(ordersOf(organization, seed, sizes))
    }),
  )
}

export function evaluateSplits(splits: Splits, shrinkage?: number): LearnedQuality[] {
  return ORGANIZATIONS.flatMap((organization) =>
    FRAUDS.flatMap((frauds): LearnedQuality[] => {
      const compared = splits[organization].flatMap((split) => compare(split, frauds, shrinkage))
      if (compared.length === 0) return []
      return [
        {
          organization,
          frauds,
          seeds: compared.length,
          shipped: meanQuality(compared.map(({ shipped }) => shipped)),
          learned: meanQuality(compared.map(({ learned }) => learned)),
          better: compared.filter(
            ({ shipped, learned }) => learned.average_precision > shipped.average_precision,
          ).length,
          weights: meanOf(compared.map(({ weights }) => weights)),
        },
      ]
    }),
  )
}

/** Decisions arrive a week late. */
const DELAY_DAYS = 7

function splitOf(orders: readonly Dated[]): Split {
  const days = orders.filter(({ is_fraud }) => is_fraud).map(({ day }) => day)
  const middle = days.toSorted((a, b) => a - b)[Math.floor(days.length * LEARNED_SHARE)] ?? 0
  return {
    before: orders.filter(({ day }) => day < middle),
    after: orders.filter(({ day }) => day >= middle + DELAY_DAYS),
  }
}

const LEARNED_SHARE = 0.6

function compare({ before, after }: Split, frauds: number, shrinkage: number | undefined) {
  const known = before.filter(({ is_fraud }) => is_fraud).slice(-frauds)
  if (known.length < frauds) return []
  const since = known[0]?.day ?? 0
  const honest = before.filter(({ day, is_fraud }) => day >= since && !is_fraud)
  const found = learnWeights([...known, ...honest], frauds, shrinkage)
  const { weights } = DEFAULT_ORDER_PARAMETERS
  const learned = 'weights' in found ? found.weights : weights
  return [
    { shipped: qualityOf(after, weights), learned: qualityOf(after, learned), weights: learned },
  ]
}

function qualityOf(orders: readonly Dated[], weights: Weights): Quality {
  const judged = orders.map(({ signals, is_fraud }) => ({
    score: combinedProbability(weights, signals),
    is_fraud,
  }))
  const flagged = orders.filter((order) => isFlagged(weights, order))
  const hits = flagged.filter(({ is_fraud }) => is_fraud).length
  const frauds = orders.filter(({ is_fraud }) => is_fraud).length
  return {
    average_precision: averagePrecision(judged),
    recall: hits / frauds,
    precision: hits / flagged.length,
    flagged: flagged.length,
  }
}

const meanQuality = (all: readonly Quality[]): Quality => ({
  average_precision: mean(all.map(({ average_precision }) => average_precision)),
  recall: mean(all.map(({ recall }) => recall)),
  precision: mean(all.map(({ precision }) => precision)),
  flagged: mean(all.map(({ flagged }) => flagged)),
})

type Sizes = Pick<LearningOptions, 'card_size' | 'shop_size'>

function ordersOf(organization: Organization, seed: number, sizes: Sizes): Dated[] {
  if (organization === 'cards') return cardOrders(seed, sizes.card_size)
  const orders = shopOrders(seed, sizes.shop_size)
  return organization === 'shop' ? orders : ofTravelers(orders, seed)
}

function cardOrders(seed: number, size: CardWorldSize): Dated[] {
  const world = simulateCards(seed, size)
  const scorer = createCardScorer(world, DEFAULT_ORDER_PARAMETERS)
  const orders: Dated[] = []
  const score = (row: number) => {
    const scored = scorer.score(row)
    if (scored.signals !== undefined) {
      const day = (world.second[row] ?? 0) / DAY_S
      const is_fraud = (world.scenario[row] ?? 0) > 0
      orders.push({ signals: scored.signals, is_fraud, weight: 1, day })
    }
    return scored
  }
  replayCards(world, { ...scorer, score }, { feedback: 'frauds_only', onProgress: () => {} })
  return orders.filter(({ day }) => day >= WARM_UP_DAYS)
}

const WARM_UP_DAYS = 30

function shopOrders(seed: number, size: ShopSize): Dated[] {
  const { judged } = scoreShop(seed, size, DEFAULT_ORDER_PARAMETERS)
  return judged.map(({ risk, truth, arrives_ms }) => ({
    signals: risk.signals,
    is_fraud: truth.is_fraud,
    weight: 1,
    day: (arrives_ms - FIRST_DAY_MS) / DAY_MS,
  }))
}

const TRAVELER_SHARE = 0.05

/** A shop whose honest customers are often far from home, so that places say little there. */
function ofTravelers(orders: readonly Dated[], seed: number): Dated[] {
  const random = createRandom(seed, 'travelers')
  return orders.map((order) => {
    if (order.is_fraud || !random.chance(TRAVELER_SHARE)) return order
    const location_anomaly = Math.max(order.signals.location_anomaly, random.integer(45, 90))
    return { ...order, signals: { ...order.signals, location_anomaly } }
  })
}
