/** Assesses several sensitive actions within minutes, and a void right after a cash sale. */
import { MINUTE_MS } from '../../../platform/time-units.ts'
import type { Assessment } from '../../behavior/index.ts'
import { interpolate } from '../../risk/index.ts'
import type { Case } from './case.ts'
import { measure, NOTHING, strongestOf } from './measure.ts'
import { assessRate } from './rates.ts'
import type { ActionKind, RecentAction } from './states.ts'

const RECENT_MAX = 8

export function assessBursts(current: Case, kind: ActionKind | undefined): Assessment {
  const { at_ms, before, peers, parameters } = current
  if (kind === undefined) return NOTHING
  const { window_minutes, strengths, desk_strengths } = parameters.bursts
  const from = at_ms - window_minutes * MINUTE_MS
  let count = 1
  for (const [at] of before.recent) if (at > from && at <= at_ms) count += 1
  const curve = peers.role === 'desk' ? desk_strengths : strengths
  const burst = measure(interpolate(curve, count), 'burst_of_actions', { count, window_minutes })
  const seconds = secondsSinceCashSale(current)
  if (seconds === undefined) return burst
  const { strength } = parameters.void_after_cash
  const single = measure(strength, 'void_after_cash', { seconds })
  const rate = assessRate('void_after_cash', current.counts, peers, parameters.rates)
  return strongestOf([burst, single, rate])
}

/** Returns undefined unless the action voids a cash sale within `void_after_cash.seconds`. */
export function secondsSinceCashSale({
  facts,
  at_ms,
  before,
  parameters,
}: Pick<Case, 'facts' | 'at_ms' | 'before' | 'parameters'>): number | undefined {
  if (facts.action_type !== 'void') return undefined
  const { order } = facts
  const sold_at =
    order === undefined || order === null
      ? before.cash_sale_at
      : order.is_cash && order.cashier !== 'other'
        ? order.ordered_at_ms
        : 0
  const seconds = (at_ms - sold_at) / 1000
  return seconds >= 0 && seconds <= parameters.void_after_cash.seconds ? seconds : undefined
}

/** Adds an action in order of time, and drops the oldest beyond `RECENT_MAX`. */
export function addRecent(
  recent: readonly RecentAction[],
  action: RecentAction,
): readonly RecentAction[] {
  return [...recent, action].toSorted(([a], [b]) => a - b).slice(-RECENT_MAX)
}
