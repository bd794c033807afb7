/**
 * Learns the weights of the signals from decided orders: a logistic regression centered on the
 * shipped score. The odds of fraud grow with the score, `level` times the sum of all signals, and
 * each signal may differ from that by a factor, which a strong prior holds at 1. So the result is a
 * set of weights, like those that a person sets: the signals of an order add their points as before.
 */
import { combinedProbability, recordOf, scoreOf } from '../../risk/index.ts'
import { DEFAULT_ORDER_PARAMETERS } from '../scoring/parameters.ts'
import { REVIEW_SCORE } from '../scoring/scoring.ts'
import { ORDER_SIGNALS, type OrderSignal } from '../scoring/signals.ts'
import { type Example, fitLogistic, type Prior } from './fit.ts'
import type { Weights } from './schema.ts'

/** An order with its outcome. */
export type Outcome = {
  /** Strengths, 0-100 */
  readonly signals: Readonly<Record<OrderSignal, number>>
  readonly is_fraud: boolean
  /** Number of orders that it stands for, because most legitimate ones are not read */
  readonly weight: number
}

/** `contradiction`: orders with higher scores were fraud less often. */
export type LearnedWeights = { weights: Weights } | { refused: 'too_few' | 'contradiction' }

/** A prior as strong as this many frauds */
const SHRINKAGE = 10
/** Factors by which the contribution of a signal may change. */
const FACTOR_MIN = 1 / 3
const FACTOR_MAX = 2
/** Growth of the logarithmic odds with the sum of all signals. */
const LEVEL: Prior = { mean: 3, precision: 1 }
const LEVEL_MIN = 0.3
const INTERCEPT: Prior = { mean: -5, precision: 1e-3 }
/** Fewer legitimate orders than this say nothing about false alarms. */
const LEGITIMATE_MIN = 100

/** @param frauds_min smallest number of frauds to learn from */
export function learnWeights(
  outcomes: readonly Outcome[],
  frauds_min: number,
  shrinkage = SHRINKAGE,
): LearnedWeights {
  const shipped = DEFAULT_ORDER_PARAMETERS.weights
  const frauds = outcomes.filter(({ is_fraud }) => is_fraud)
  if (frauds.length < Math.max(1, frauds_min)) return { refused: 'too_few' }
  if (outcomes.length - frauds.length < LEGITIMATE_MIN) return { refused: 'too_few' }
  const factors = fitFactors(outcomes, shipped, shrinkage)
  if (factors === undefined) return { refused: 'contradiction' }
  return { weights: withSameReviews(outcomes, shipped, factors) }
}

type Factors = Readonly<Record<OrderSignal, number>>

function fitFactors(
  outcomes: readonly Outcome[],
  shipped: Weights,
  shrinkage: number,
): Factors | undefined {
  const examples = outcomes.map(({ signals, is_fraud, weight }): Example => {
    const parts = ORDER_SIGNALS.map((signal) => surpriseOf(shipped[signal], signals[signal]))
    const sum = parts.reduce((total, part) => total + part, 0)
    return { values: [1, sum, ...parts], is_fraud, weight }
  })
  const own: Prior = { mean: 0, precision: shrinkage / LEVEL.mean ** 2 }
  const fitted = fitLogistic(examples, [INTERCEPT, LEVEL, ...ORDER_SIGNALS.map(() => own)])
  const [, level = 0, ...differences] = fitted ?? []
  if (level < LEVEL_MIN) return undefined
  return recordOf(ORDER_SIGNALS, (signal) => {
    const factor = 1 + (differences[ORDER_SIGNALS.indexOf(signal)] ?? 0) / level
    return Math.min(FACTOR_MAX, Math.max(FACTOR_MIN, factor))
  })
}

const surpriseOf = (weight: number, strength: number): number =>
  -Math.log1p((-weight * strength) / 100)

/** Scores mean about the same in all organizations. */
const SCALE_MAX = 1.25
const SCALE_STEPS = 24

/** Scales the weights so that people get about as many orders to review as with the shipped ones. */
function withSameReviews(
  outcomes: readonly Outcome[],
  shipped: Weights,
  factors: Factors,
): Weights {
  const limit = reviewsOf(outcomes, shipped)
  let [low, high] = [1 / SCALE_MAX, SCALE_MAX]
  for (let i = 0; i < SCALE_STEPS; i += 1) {
    const middle = Math.sqrt(low * high)
    if (reviewsOf(outcomes, scaled(shipped, factors, middle)) > limit) high = middle
    else low = middle
  }
  return scaled(shipped, factors, low)
}

/** A weight of 1 would silence every other signal. */
const WEIGHT_MAX = 0.99

/** Raises what a signal leaves over to a power, so that its contribution grows by the factor. */
function scaled(shipped: Weights, factors: Factors, scale: number): Weights {
  return recordOf(ORDER_SIGNALS, (signal) => {
    const weight = 1 - (1 - shipped[signal]) ** (scale * factors[signal])
    return Math.round(1000 * Math.min(WEIGHT_MAX, weight)) / 1000
  })
}

export const isFlagged = (weights: Weights, { signals }: Pick<Outcome, 'signals'>): boolean =>
  scoreWith(weights, signals) >= REVIEW_SCORE

export const scoreWith = (weights: Weights, signals: Outcome['signals']): number =>
  scoreOf(combinedProbability(weights, signals), 0)

function reviewsOf(outcomes: readonly Outcome[], weights: Weights): number {
  let sum = 0
  for (const outcome of outcomes) if (isFlagged(weights, outcome)) sum += outcome.weight
  return sum
}
