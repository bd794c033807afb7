/**
 * Rarity: the probability that an order lies this many standard deviations above the usual. Shops
 * differ, so each organization learns the exponential tail of its own orders: the share beyond one
 * deviation and their mean distance from there.
 */
import { round } from './numbers.ts'

export type RarityState = {
  /** Orders learned, up to a cap */
  readonly n: number
  /** Share of orders more than one deviation above the usual */
  readonly share: number
  /** Mean distance of those beyond one deviation, in deviations */
  readonly excess: number
}

/** Prior of a new organization, weighted as `n` orders. */
export const EMPTY_RARITY: RarityState = { n: 50, share: 0.16, excess: 0.5 }

const MEMORY = 2000
/** Orders further out, in mean excesses, are learned as if they were this far. */
const CLIP = 5
const EXCESS_MIN = 0.2
/** Deviations below the usual at which an amount has no surprise at all. */
const Z_NONE = -3

/** Returns -log10 of the share of orders that lie at least this far out. */
export function surpriseOf({ share, excess }: RarityState, z: number): number {
  const edge = -Math.log(share) / Math.LN10
  if (z <= 1) return Math.max(0, (edge * (z - Z_NONE)) / (1 - Z_NONE))
  return edge + (z - 1) / (excess * Math.LN10)
}

/** @param weight 0-1, below 1 for orders that could shift what is rare on purpose */
export function learnRarity(state: RarityState, z: number, weight = 1): RarityState {
  const n = Math.min(MEMORY, round(state.n + weight))
  const isBeyond = z > 1
  const share = state.share + (weight * ((isBeyond ? 1 : 0) - state.share)) / n
  const beyond = Math.min(z - 1, CLIP * state.excess)
  const excess = isBeyond
    ? Math.max(
        EXCESS_MIN,
        state.excess + (weight * (beyond - state.excess)) / Math.max(5, n * share),
      )
    : state.excess
  return { n, share: Math.max(0.01, round(share)), excess: round(excess) }
}
