/** Derives the shifts of a cashier from shift events in the order of their time. */
import { HOUR_MS } from '../../../platform/time-units.ts'
import type { CashierShift } from './schema.ts'

type ShiftEvent = { action_type: 'shift_start' | 'shift_end'; at_ms: number }
type ShiftSpan = { started_ms: number | null; ended_ms: number | null; how: CashierShift['how'] }

/**
 * @param events of one cashier, oldest first
 * @param longestHours a shift without an end event expires after this
 */
export function shiftsOf(
  events: readonly ShiftEvent[],
  until_ms: number,
  longestHours: number,
): ShiftSpan[] {
  const shifts: ShiftSpan[] = []
  let started_ms: number | undefined
  const close = (next_ms: number | undefined, how: 'ended' | 'expired') => {
    if (started_ms === undefined) return
    const expires_ms = started_ms + longestHours * HOUR_MS
    const isExpired = next_ms === undefined || next_ms > expires_ms
    shifts.push({
      started_ms,
      ended_ms: isExpired ? expires_ms : next_ms,
      how: isExpired ? 'expired' : how,
    })
  }
  for (const { action_type, at_ms } of events) {
    if (action_type === 'shift_start') {
      // A start during an open shift means that the end of that shift was not sent.
      close(at_ms, 'expired')
      started_ms = at_ms
      continue
    }
    if (started_ms === undefined) {
      if (shifts.length === 0) shifts.push({ started_ms: null, ended_ms: at_ms, how: 'ended' })
      continue
    }
    close(at_ms, 'ended')
    started_ms = undefined
  }
  if (started_ms === undefined) return shifts
  if (until_ms - started_ms > longestHours * HOUR_MS) close(undefined, 'expired')
  else shifts.push({ started_ms, ended_ms: null, how: 'open' })
  return shifts
}

/** Returns the total hours of the shifts; an open one lasts until `until_ms`. */
export function hoursOf(shifts: readonly ShiftSpan[], until_ms: number): number {
  let sum = 0
  for (const { started_ms, ended_ms } of shifts) {
    if (started_ms !== null) sum += Math.max(0, (ended_ms ?? until_ms) - started_ms)
  }
  return sum / HOUR_MS
}
