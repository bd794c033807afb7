/** The result of learning from the decisions of an organization, as it is stored and shown. */
import type { OrderSignal } from '../scoring/signals.ts'

export type Weights = Readonly<Record<OrderSignal, number>>

/** Scores with the same share of fraud. */
export type CalibrationStep = {
  from_score: number
  to_score: number
  /** 0-1, rounded to four decimals */
  fraud_share: number
  /** Orders behind the share, estimated where legitimate ones were sampled */
  orders: number
}

/** Orders of the last weeks that a set of weights flags; estimated where orders were sampled. */
export type Flagged = { frauds: number; legitimate: number }

/** The weights learned from the earlier orders, compared on the later ones. */
export type Trial = {
  from: string
  frauds: number
  legitimate: number
  active: Flagged
  learned: Flagged
}

export type Learned = {
  /**
   * `better`: in the trial, precision and recall together are higher than those of the active
   * weights, and at least nine of ten frauds are still flagged. `not_better`: they are not.
   * `too_few`: there are too few frauds. `contradiction`: higher scores were fraud less often.
   */
  outcome: 'better' | 'not_better' | 'too_few' | 'contradiction'
  frauds: number
  /** Estimated */
  legitimate: number
  /** Null unless weights were learned. */
  weights: Weights | null
  trial: Trial | null
  /** Empty until `CALIBRATED_FRAUDS` frauds are known. */
  calibration: CalibrationStep[]
}

/** A weight as it is shipped, in effect, and learned. */
export type LearnedWeight = {
  signal: OrderSignal
  shipped: number
  active: number
  learned: number
}

export type RulesLearning = Omit<Learned, 'outcome' | 'weights'> & {
  /** `none` until the job has run for the first time, and `off` where nothing is learned. */
  outcome: Learned['outcome'] | 'none' | 'off'
  /** Number of frauds from which weights are learned */
  frauds_min: number
  learned_at: string | null
  /** Whether learned weights that are better are applied without a person. */
  automatic: boolean
  /** Empty unless weights were learned. */
  weights: LearnedWeight[]
  /** Version in effect */
  version: number
  /** Whether the learned weights are in effect. */
  is_active: boolean
}
