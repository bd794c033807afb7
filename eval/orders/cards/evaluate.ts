/**
 * Replays the card transactions of each seed once for each kind of feedback, and judges five weeks of
 * them.
 */
import type { OrderParameters } from '../../../src/modules/orders/scoring/parameters.ts'
import { mean, meanOf } from '../metrics.ts'
import { TEST_WEEKS } from './protocol.ts'
import { type Ranking, type WeekQuality, weekQuality } from './quality.ts'
import { createReferenceScorer } from './reference.ts'
import { type CardScores, type Feedback, replayCards } from './replay.ts'
import { createCardScorer } from './scorer.ts'
import { simulateCards } from './simulate.ts'
import type { CardWorldSize } from './world.ts'

export const FEEDBACKS: readonly Feedback[] = ['none', 'every_order', 'frauds_only']

export type CardRun = {
  feedback: Feedback
  decisions: number
  cost_us: number
  /** Ranked by the unrounded probability. */
  weeks: (WeekQuality & { start: string })[]
  mean: WeekQuality
  /** The same orders, ranked by the integer score. */
  mean_by_risk_score: WeekQuality
}

export type CardSeed = {
  seed: number
  orders: number
  frauds: { scenario_1: number; scenario_2: number; scenario_3: number }
  runs: CardRun[]
  /** The untrained reference on the same rows, mean of the weeks. */
  reference: { feedback: Feedback; mean: WeekQuality }[]
}

export type CardEvaluation = {
  /** Number of cards that are inspected each day. */
  k: number
  seeds: CardSeed[]
  mean: CardMean[]
}

export type CardMean = {
  feedback: Feedback
  cost_us: number
  probability: WeekQuality
  risk_score: WeekQuality
  reference: WeekQuality
}

export type CardOptions = {
  seeds: readonly number[]
  size: CardWorldSize
  parameters: OrderParameters
  onProgress: (step: string) => void
}

export function evaluateCards(options: CardOptions): CardEvaluation {
  // 100 of 5,000, as published.
  const k = options.size.customers / 50
  const seeds = options.seeds.map((seed) => evaluateSeed(seed, k, options))
  return {
    k,
    seeds,
    mean: FEEDBACKS.map((feedback) => {
      const runs = seeds.flatMap((each) => each.runs.filter((run) => run.feedback === feedback))
      return {
        feedback,
        cost_us: mean(runs.map(({ cost_us }) => cost_us)),
        probability: meanOf(runs.map((run) => run.mean)),
        risk_score: meanOf(runs.map((run) => run.mean_by_risk_score)),
        reference: meanOf(
          seeds.flatMap(({ reference }) =>
            reference.filter((each) => each.feedback === feedback).map((each) => each.mean),
          ),
        ),
      }
    }),
  }
}

function evaluateSeed(seed: number, k: number, options: CardOptions): CardSeed {
  const { size, parameters, onProgress } = options
  const world = simulateCards(seed, size)
  const counts = [0, 0, 0, 0]
  for (const scenario of world.scenario) counts[scenario] = (counts[scenario] ?? 0) + 1
  const [, scenario_1 = 0, scenario_2 = 0, scenario_3 = 0] = counts
  const judge = (scores: CardScores, ranking: Ranking) =>
    TEST_WEEKS.map((start) => weekQuality(world, scores, { start, k, ranking }))
  const runs = FEEDBACKS.map((feedback): CardRun => {
    const scores = replayCards(world, createCardScorer(world, parameters), {
      feedback,
      onProgress: (step) => onProgress(`cards, seed ${seed}, feedback ${step}`),
    })
    const { decisions, cost_us } = scores
    const weeks = judge(scores, 'probability')
    return {
      feedback,
      decisions,
      cost_us,
      weeks: weeks.map((week, index) => ({ start: TEST_WEEKS[index] ?? '', ...week })),
      mean: meanOf(weeks),
      mean_by_risk_score: meanOf(judge(scores, 'risk_score')),
    }
  })
  const reference = FEEDBACKS.map((feedback) => {
    const replay = { feedback, onProgress: () => {} }
    const scores = replayCards(world, createReferenceScorer(world), replay)
    return { feedback, mean: meanOf(judge(scores, 'probability')) }
  })
  const frauds = { scenario_1, scenario_2, scenario_3 }
  return { seed, orders: world.count, frauds, runs, reference }
}
