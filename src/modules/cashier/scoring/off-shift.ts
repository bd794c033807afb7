/** Assesses actions of a cashier who is off shift, or at an hour at which the cashier never works. */
import { MINUTE_MS } from '../../../platform/time-units.ts'
import { type Assessment, clamp } from '../../behavior/index.ts'
import type { Case } from './case.ts'
import { INDEX, leftOf } from './counts.ts'
import type { ActionType } from './facts.ts'
import { measure, NOTHING } from './measure.ts'
import { sensitiveOf } from './peers.ts'
import { shiftAt } from './shifts.ts'

/** The four action types that take money out of the drawer. */
const GRAVE: readonly ActionType[] = ['void', 'refund', 'no_sale', 'drawer_open']
const PEER_ACTIONS_MIN = 20

export function assessOffShift(current: Case): Assessment {
  const { facts, at_ms, before, parameters } = current
  if (facts.action_type === 'shift_start' || facts.action_type === 'shift_end') return NOTHING
  const status = shiftAt(before.shifts, at_ms, parameters.shifts)
  if (before.shifts.length === 0) return assessHour(current)
  if (status.state !== 'closed') return measure(0, null, { shift: status.state })
  const rules = parameters.off_shift
  const minutes = (at_ms - status.ended_at) / MINUTE_MS
  const far = clamp(minutes / rules.far_minutes, 0, 1)
  const grave = rules.near_strength + (rules.far_strength - rules.near_strength) * far
  const strength = GRAVE.includes(facts.action_type) ? grave : rules.other_strength
  const share = offShiftShareOfPeers(current)
  const numbers = {
    shift: status.how,
    minutes_since_shift: minutes,
    sales_since_shift: before.sales_off_shift,
    peers_share: share,
  }
  if (before.sales_off_shift >= rules.forgotten_sales) {
    return measure(Math.min(strength, rules.forgotten_strength), 'forgotten_shift_start', numbers)
  }
  if (share !== undefined && share >= rules.peers_share_max) {
    return measure(Math.min(strength, rules.peers_strength), 'shifts_rarely_sent', numbers)
  }
  return measure(strength, 'off_shift', numbers)
}

/** When peers often act off shift, shift events at the location are incomplete. */
function offShiftShareOfPeers({ peers }: Case): number | undefined {
  let off = 0
  let all = 0
  for (const { id, at, month } of peers.store?.members ?? []) {
    if (id === peers.cashier) continue
    const { one } = leftOf(at, peers.now_ms, 'month')
    off += (month[INDEX.off_shift] ?? 0) * one
    all += sensitiveOf(month) * one
  }
  return all >= PEER_ACTIONS_MIN ? off / all : undefined
}

/** Replaces the shift for cashiers without shift events. */
function assessHour({ facts, before, parameters }: Case): Assessment {
  const { hours_events_min, hours_strength } = parameters.off_shift
  const events = before.hours.reduce((sum, count) => sum + count, 0)
  if (events < hours_events_min) return NOTHING
  const at = (hour: number) => before.hours[(facts.local_hour + hour + 24) % 24] ?? 0
  // Neighboring hours count half, because work does not start exactly on the hour.
  const smoothed = (at(-1) + 2 * at(0) + at(1)) / 4
  const usual = events / 24
  const rarity = clamp(1 - smoothed / (usual * RARE_SHARE), 0, 1)
  return measure(hours_strength * rarity, 'unusual_hour', {
    local_hour: facts.local_hour,
    events_at_hour: at(0),
    events,
  })
}

/** An hour with less than this share of the hourly average is rare. */
const RARE_SHARE = 0.2
