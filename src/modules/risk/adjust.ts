/**
 * Changes a score by what an organization knows, such as the entries of its lists and its rules. A
 * change works through the signals, so the result is a score with signals like any other: raising it
 * strengthens one signal, lowering it weakens all of them alike. Pure.
 */
import type { Weights } from './combine.ts'

/**
 * `points` adds to the score, `floor` raises it to a value, `cap` lowers it to one, and `alert` raises an
 * alert and leaves the score alone.
 */
export type Effect = 'points' | 'floor' | 'cap' | 'alert'

export type Change<Signal extends string> = {
  effect: Effect
  /** Points of the score, -100 to 100; 0 to 100 for a floor or a cap. */
  value: number
  /** The signal that a higher score is attributed to. */
  signal: Signal
  /** Strength that the signal reaches at least, 0-100, unless the score is lowered. */
  signal_min?: number
}

/** A score before its rounding: `probability` is 0-1, strengths are 0-100. */
export type Adjustable<Signal extends string> = {
  probability: number
  strengths: Readonly<Record<Signal, number>>
}

export function adjust<Signal extends string>(
  weights: Weights<Signal>,
  before: Adjustable<Signal>,
  change: Change<Signal>,
): Adjustable<Signal> {
  const target = targetOf(before.probability, change)
  if (target === before.probability && change.effect !== 'floor') return before
  const isLower = target < before.probability
  return isLower ? lowered(weights, before, target) : raised(weights, before, target, change)
}

function targetOf(probability: number, { effect, value }: { effect: Effect; value: number }) {
  if (effect === 'alert') return probability
  const share = value / 100
  if (effect === 'points') return Math.min(1, Math.max(0, probability + share))
  return effect === 'floor' ? Math.max(probability, share) : Math.min(probability, share)
}

/** Strengthens the signal until the signals together reach the target, if it can alone do that. */
function raised<Signal extends string>(
  weights: Weights<Signal>,
  { probability, strengths }: Adjustable<Signal>,
  target: number,
  { signal, signal_min = 0 }: Change<Signal>,
): Adjustable<Signal> {
  const weight = weights[signal]
  const before = strengths[signal]
  const missing = surprise(target) - surprise(probability)
  const needed = strengthFor(surprise((weight * before) / 100) + missing, weight)
  const strength = Math.min(100, Math.max(before, needed, signal_min))
  const more = surprise((weight * strength) / 100) - surprise((weight * before) / 100)
  return {
    probability: Math.max(target, 1 - Math.exp(-surprise(probability) - more)),
    strengths: { ...strengths, [signal]: strength },
  }
}

function lowered<Signal extends string>(
  weights: Weights<Signal>,
  { probability, strengths }: Adjustable<Signal>,
  target: number,
): Adjustable<Signal> {
  const share = surprise(target) / surprise(probability)
  const weakened: Record<Signal, number> = { ...strengths }
  for (const signal in strengths) {
    const weight = weights[signal]
    const strength = strengthFor(share * surprise((weight * strengths[signal]) / 100), weight)
    weakened[signal] = weight === 0 ? share * strengths[signal] : Math.min(100, strength)
  }
  return { probability: target, strengths: weakened }
}

/** @returns the strength of a signal that alone has this surprise; infinite when it cannot */
const strengthFor = (needed: number, weight: number): number =>
  weight === 0 ? 0 : (100 * (1 - Math.exp(-needed))) / weight

/** A probability of 1 would outweigh everything for ever. */
const PROBABILITY_MAX = 1 - 1e-9

const surprise = (probability: number): number =>
  -Math.log1p(-Math.min(PROBABILITY_MAX, probability))
