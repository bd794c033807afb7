/**
 * Tiny orders: fraudsters test stolen cards with many tiny amounts in a short time, on one device,
 * from one address or at one terminal.
 */
import { curve, interpolate } from '../risk/index.ts'
import { type Assessment, QUIET } from './measurement.ts'
import { readable } from './numbers.ts'
import type { VelocityState } from './velocity.ts'

/** Strength by the decayed number of tiny orders per person within about an hour. */
const TINY = curve({ 1.5: 0, 2.5: 40, 4: 70, 8: 90, 16: 100 })
/** Below this share of all orders, tiny orders are part of the key's usual business. */
const TINY_SHARE = 0.3

/**
 * @param state velocity including the order
 * @param isTiny whether this order is tiny; others are not assessed
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
