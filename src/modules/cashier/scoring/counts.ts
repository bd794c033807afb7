/**
 * Decayed counts of one cashier in three windows, by forward decay from a landmark: instead of
 * shrinking all earlier events, a later event weighs more than 1. So all counts change only once an
 * hour, and rounding cannot cancel a slow decay.
 */
import { DAY_MS, HOUR_MS } from '../../../platform/time-units.ts'
import { decay, round } from '../../behavior/index.ts'

export const KINDS = [
  'sale',
  /** Sum of the squared weights of the sales, from which the effective number of sales follows. */
  'sale_squares',
  'void',
  'refund',
  'override',
  'drawer',
  'discounted_sale',
  // The shift window does not have the kinds from here on.
  'void_after_cash',
  'drawer_after_void',
  'pickup',
  'unmatched_round',
  // Only the month window has the kinds from here on.
  'round_sale',
  'half_round_sale',
  'off_shift',
  'matched_refund',
  /** Overrides, each weighted by its amount in units of the mean sale of the cashier. */
  'override_size',
] as const
export type Kind = (typeof KINDS)[number]

export const INDEX = Object.fromEntries(KINDS.map((kind, index) => [kind, index])) as Record<
  Kind,
  number
>

export const HALF_LIVES_MS = { shift: 4 * HOUR_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const
export type Window = keyof typeof HALF_LIVES_MS

/** Number of kinds in each window. */
export const LENGTHS: Readonly<Record<Window, number>> = {
  shift: INDEX.void_after_cash,
  week: INDEX.round_sale,
  month: KINDS.length,
}

export type Counts = {
  /** Landmark in ms; an event at this time weighs 1. */
  at: number
  shift: readonly number[]
  week: readonly number[]
  month: readonly number[]
}

export type Addition = readonly [kind: Kind, amount: number]

export function emptyCounts(at: number): Counts {
  const zeros = (length: number) => Array.from({ length }, () => 0)
  return {
    at,
    shift: zeros(LENGTHS.shift),
    week: zeros(LENGTHS.week),
    month: zeros(LENGTHS.month),
  }
}

/** @param at_ms time of the event; late events are added with their decayed weight */
export function addCounts(counts: Counts, at_ms: number, additions: readonly Addition[]): Counts {
  const base = at_ms - counts.at > LANDMARK_MS ? rebase(counts, at_ms) : counts
  return {
    at: base.at,
    shift: addTo(base.shift, at_ms - base.at, HALF_LIVES_MS.shift, additions),
    week: addTo(base.week, at_ms - base.at, HALF_LIVES_MS.week, additions),
    month: addTo(base.month, at_ms - base.at, HALF_LIVES_MS.month, additions),
  }
}

/** Returns the decayed weight of an event at the landmark, and its square; at most 1. */
export function leftOf(
  at: number,
  now_ms: number,
  window: Window,
): { one: number; square: number } {
  const one = decay(now_ms - at, HALF_LIVES_MS[window])
  return { one, square: one * one }
}

const LANDMARK_MS = HOUR_MS

function rebase(counts: Counts, at: number): Counts {
  return {
    at,
    shift: shrink(counts.shift, at - counts.at, HALF_LIVES_MS.shift),
    week: shrink(counts.week, at - counts.at, HALF_LIVES_MS.week),
    month: shrink(counts.month, at - counts.at, HALF_LIVES_MS.month),
  }
}

function shrink(values: readonly number[], elapsed_ms: number, halfLifeMs: number): number[] {
  const left = decay(elapsed_ms, halfLifeMs)
  const shrunk: number[] = []
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index] ?? 0
    shrunk.push(
      value === 0 ? 0 : round(value * (index === INDEX.sale_squares ? left * left : left)),
    )
  }
  return shrunk
}

function addTo(
  values: readonly number[],
  ahead_ms: number,
  halfLifeMs: number,
  additions: readonly Addition[],
): readonly number[] {
  const weight = ahead_ms < 0 ? decay(-ahead_ms, halfLifeMs) : 1 / decay(ahead_ms, halfLifeMs)
  const sums = values.slice()
  for (const [kind, amount] of additions) {
    const index = INDEX[kind]
    if (index >= sums.length) continue
    const weighed = kind === 'sale_squares' ? weight * weight : weight
    sums[index] = round((sums[index] ?? 0) + amount * weighed)
  }
  return sums
}
