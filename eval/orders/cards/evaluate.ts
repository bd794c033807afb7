/** The card world of each seed, replayed once for each kind of feedback, judged in five weeks. */
import type { OrderParameters } from '../../../src/modules/orders/scoring/parameters.ts'
import { mean } from '../metrics.ts'
import { TEST_WEEKS } from './protocol.ts'
import { meanQuality, type Ranking, type WeekQuality, weekQuality } from './quality.ts'
import { createReferenceScorer } from './reference.ts'
import { type CardScores, type Feedback, replayCards } from './replay.ts'
import { createCardScorer } from './scorer.ts'
import { type CardWorldSize, simulateCards } from './world.ts'

export const FEEDBACKS: readonly Feedback[] = ['none', 'every_order', 'frauds_only']

export type CardRun = {
  feedback: Feedback
  decisions: number
  cost_us: number
  /** By the unrounded probability. */
  weeks: (WeekQuality & { start: string })[]
  /** Over the weeks. */
  mean: WeekQuality
  /** The same orders ranked by the integer score. */
  mean_by_risk_score: WeekQuality
}

export type CardSeed = {
  seed: number
  orders: number
  frauds: { scenario_1: number; scenario_2: number; scenario_3: number }
  runs: CardRun[]
  /** Over the weeks, the untrained reference on the same rows. */
  reference: { feedback: Feedback; mean: WeekQuality }[]
}

export type CardEvaluation = {
  /** Cards looked at each day. */
  k: number
  seeds: CardSeed[]
  /** Over the seeds. */
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
  tell: (step: string) => void
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
        probability: meanQuality(runs.map((run) => run.mean)),
        risk_score: meanQuality(runs.map((run) => run.mean_by_risk_score)),
        reference: meanQuality(
          seeds.flatMap(({ reference }) =>
            reference.filter((each) => each.feedback === feedback).map((each) => each.mean),
          ),
        ),
      }
    }),
  }
}

function evaluateSeed(seed: number, k: number, options: CardOptions): CardSeed {
  const { size, parameters, tell } = options
  const world = simulateCards(seed, size)
  const counts = [0, 0, 0, 0]
  for (const scenario of world.scenario) counts[scenario] = (counts[scenario] ?? 0) + 1
  const [, scenario_1 = 0, scenario_2 = 0, scenario_3 = 0] = counts
  const judge = (scores: CardScores, start: string, ranking: Ranking) =>
    weekQuality(world, scores, { start, k, ranking })
  const runs = FEEDBACKS.map((feedback): CardRun => {
    const scores = replayCards(world, createCardScorer(world, parameters), {
      feedback,
      tell: (step) => tell(`cards, seed ${seed}, feedback ${step}`),
    })
    const { decisions, cost_us } = scores
    const weeks = TEST_WEEKS.map((start) => ({ start, ...judge(scores, start, 'probability') }))
    const by_score = TEST_WEEKS.map((start) => judge(scores, start, 'risk_score'))
    const mean_by_risk_score = meanQuality(by_score)
    return { feedback, decisions, cost_us, weeks, mean: meanQuality(weeks), mean_by_risk_score }
  })
  const reference = FEEDBACKS.map((feedback) => {
    const scores = replayCards(world, createReferenceScorer(world), { feedback, tell: () => {} })
    const weeks = TEST_WEEKS.map((start) => judge(scores, start, 'probability'))
    return { feedback, mean: meanQuality(weeks) }
  })
  const frauds = { scenario_1, scenario_2, scenario_3 }
  return { seed, orders: world.count, frauds, runs, reference }
}
