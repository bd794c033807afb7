/** Several sensitive actions within minutes, and a void right after a cash sale. */
import { type Assessment } from '../../behaviour/index.ts'
import { interpolate } from '../../risk/index.ts'
import type { Case } from './case.ts'
import { measure, NOTHING, strongestOf } from './measure.ts'
import { assessRate } from './rates.ts'
import type { ActionKind, RecentAction } from './states.ts'

const MINUTE_MS = 60_000
const RECENT_MAX = 8

export function assessBursts(given: Case, kind: ActionKind | undefined): Assessment {
  const { at_ms, before, peers, parameters } = given
  if (kind === undefined) return NOTHING
  const { window_minutes, strengths, desk_strengths } = parameters.bursts
  const from = at_ms - window_minutes * MINUTE_MS
  let count = 1
  for (const [at] of before.recent) if (at > from && at <= at_ms) count += 1
  const curve = peers.role === 'desk' ? desk_strengths : strengths
  const burst = measure(interpolate(curve, count), 'burst_of_actions', { count, window_minutes })
  const seconds = secondsSinceCashSale(given)
  if (seconds === undefined) return burst
  const { strength } = parameters.void_after_cash
  const single = measure(strength, 'void_after_cash', { seconds })
  const rate = assessRate('void_after_cash', given.counts, peers, parameters.rates)
  return strongestOf([burst, single, rate])
}

/** Undefined for anything but a void of a cash sale within the time that counts. */
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

/** Oldest first; what is older than all that are kept is not. */
export function addRecent(
  recent: readonly RecentAction[],
  action: RecentAction,
): readonly RecentAction[] {
  return [...recent, action].toSorted(([a], [b]) => a - b).slice(-RECENT_MAX)
}
