/** Everything that is learned from the outcomes of an organization's orders. Pure. */
import { calibrate } from './calibration.ts'
import type { Flagged, Learned, Trial, Weights } from './schema.ts'
import { isFlagged, type LearnedWeights, learnWeights, type Outcome, scoreWith } from './weights.ts'

type Dated = Outcome & { readonly at: Date }

/** Share of the frauds, the earliest ones, from which the weights of the trial are learned. */
const EARLIER_SHARE = 0.7
const CALIBRATED_FRAUDS = 50
const FRAUDS_KEPT = 0.9

/**
 * @param active weights in effect
 * @param frauds_min number of frauds from which weights are learned
 */
export function learn(outcomes: readonly Dated[], active: Weights, frauds_min: number): Learned {
  const frauds = outcomes.filter(({ is_fraud }) => is_fraud)
  const learned = learnWeights(outcomes, frauds_min)
  const trial = 'weights' in learned ? trialOf(outcomes, active, frauds_min) : null
  return {
    outcome: outcomeOf(learned, trial),
    frauds: frauds.length,
    legitimate: Math.round(sumOf(outcomes, ({ is_fraud }) => !is_fraud)),
    weights: 'weights' in learned ? learned.weights : null,
    trial,
    calibration:
      frauds.length < CALIBRATED_FRAUDS
        ? []
        : calibrate(outcomes.map((one) => ({ ...one, score: scoreWith(active, one.signals) }))),
  }
}

function outcomeOf(learned: LearnedWeights, trial: Trial | null): Learned['outcome'] {
  if ('refused' in learned) return learned.refused
  return trial !== null && isBetter(trial) ? 'better' : 'not_better'
}

/** Fewer false alarms do not make up for many frauds that are no longer flagged. */
function isBetter({ frauds, active, learned }: Trial): boolean {
  return learned.frauds >= FRAUDS_KEPT * active.frauds && f1(learned, frauds) > f1(active, frauds)
}

/** Harmonic mean of precision and recall. */
function f1(flagged: Flagged, frauds: number): number {
  return (2 * flagged.frauds) / Math.max(1, flagged.frauds + flagged.legitimate + frauds)
}

function trialOf(outcomes: readonly Dated[], active: Weights, frauds_min: number): Trial | null {
  const days = outcomes
    .filter(({ is_fraud }) => is_fraud)
    .map(({ at }) => at.getTime())
    .toSorted((a, b) => a - b)
  const from_ms = days[Math.floor(EARLIER_SHARE * days.length)] ?? 0
  const earlier = outcomes.filter(({ at }) => at.getTime() < from_ms)
  const later = outcomes.filter(({ at }) => at.getTime() >= from_ms)
  const tried = learnWeights(earlier, Math.floor((EARLIER_SHARE / 2) * frauds_min))
  if ('refused' in tried) return null
  return {
    from: new Date(from_ms).toISOString(),
    frauds: sumOf(later, ({ is_fraud }) => is_fraud),
    legitimate: Math.round(sumOf(later, ({ is_fraud }) => !is_fraud)),
    active: flaggedBy(active, later),
    learned: flaggedBy(tried.weights, later),
  }
}

const flaggedBy = (weights: Weights, outcomes: readonly Outcome[]): Flagged => ({
  frauds: sumOf(outcomes, (one) => one.is_fraud && isFlagged(weights, one)),
  legitimate: Math.round(sumOf(outcomes, (one) => !one.is_fraud && isFlagged(weights, one))),
})

function sumOf(outcomes: readonly Outcome[], counts: (outcome: Outcome) => boolean): number {
  let sum = 0
  for (const outcome of outcomes) if (counts(outcome)) sum += outcome.weight
  return sum
}
