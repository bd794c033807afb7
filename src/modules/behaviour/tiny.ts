/**
 * Tiny orders: stolen cards are tried with amounts that buy nothing, many in a short time on one
 * device, from one address or at one till.
 */
import { type Curve, interpolate } from '../risk/index.ts'
import type { Assessment } from './measurement.ts'
import { readable } from './numbers.ts'
import type { VelocityState } from './velocity.ts'

/** Tiny orders within the hour or so, of one person. */
const TINY: Curve = [
  [1.5, 0],
  [2.5, 40],
  [4, 70],
  [8, 90],
  [16, 100],
]
/** Below this share of what the key sees, tiny orders are part of its trade. */
const TINY_SHARE = 0.3

/**
 * @param state with the order counted already
 * @param isTiny whether this order is; one that is not has nothing to do with it
 */
export function assessTiny(state: VelocityState, people: number, isTiny: boolean): Assessment {
  if (!isTiny) return QUIET
  const share = state.tiny / Math.max(1, state.counts[1])
  const strength = share >= TINY_SHARE ? interpolate(TINY, state.tiny / people) : 0
  if (strength === 0) return QUIET
  return {
    score: Math.round(strength),
    strength,
    finding: 'many_tiny_orders',
    numbers: { count: readable(state.tiny), window: '1h', tiny_share: readable(share) },
  }
}

const QUIET: Assessment = { score: 0, strength: 0, finding: null, numbers: {} }
