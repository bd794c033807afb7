/**
 * Rarity: how unlikely is it to lie so many standard deviations above the usual? Some shops sell
 * more evenly than others, so each organisation learns how far out its own orders lie: the share
 * beyond one deviation and their mean distance from there, an exponential tail.
 */
import { round } from './numbers.ts'

export type RarityState = {
  /** Orders learnt, counted up to a cap */
  readonly n: number
  /** Share of orders more than one deviation above the usual */
  readonly share: number
  /** How much further those lie on average, in deviations */
  readonly excess: number
}

/** Where everybody starts, as if so many orders had been seen. */
export const EMPTY_RARITY: RarityState = { n: 50, share: 0.16, excess: 0.5 }

const MEMORY = 2000
/** What lies further out teaches as if it lay here, in mean excesses. */
const CLIP = 5
const EXCESS_MIN = 0.2
/** So far below the usual that the amount cannot count as large at all. */
const Z_NONE = -3

/** -log10 of the share of orders that lie as far out; grows with z. */
export function surpriseOf({ share, excess }: RarityState, z: number): number {
  const edge = -Math.log(share) / Math.LN10
  if (z <= 1) return Math.max(0, (edge * (z - Z_NONE)) / (1 - Z_NONE))
  return edge + (z - 1) / (excess * Math.LN10)
}

export function learnRarity(state: RarityState, z: number): RarityState {
  const n = Math.min(MEMORY, state.n + 1)
  const isBeyond = z > 1
  const share = state.share + ((isBeyond ? 1 : 0) - state.share) / n
  const beyond = Math.min(z - 1, CLIP * state.excess)
  const excess = isBeyond
    ? Math.max(EXCESS_MIN, state.excess + (beyond - state.excess) / Math.max(5, n * share))
    : state.excess
  return { n, share: Math.max(0.01, round(share)), excess: round(excess) }
}
