/** Assesses drawer openings without a sale or right after a void, and cash pickups by the cashier. */
import type { Assessment } from '../../behavior/index.ts'
import type { Case } from './case.ts'
import { INDEX, leftOf } from './counts.ts'
import { measure, NOTHING, strongestOf } from './measure.ts'
import { assessActionRate, assessRate } from './rates.ts'

export function assessDrawer(current: Case): Assessment {
  const { facts, counts, peers, parameters } = current
  const { rates } = parameters
  if (facts.action_type === 'cash_pickup') return assessPickup(current)
  if (facts.action_type !== 'no_sale' && facts.action_type !== 'drawer_open') return NOTHING
  const seconds = secondsSinceVoid(current)
  const single =
    seconds === undefined
      ? NOTHING
      : measure(parameters.drawer_after_void.strength, 'drawer_after_void', { seconds })
  return strongestOf([
    assessNoSales(current),
    assessActionRate('drawer', current),
    ...(seconds === undefined
      ? []
      : [assessRate('drawer_after_void', counts, peers, rates), single]),
  ])
}

/** Assesses openings of the drawer by a cashier who sells nothing. */
function assessNoSales({ counts, peers, parameters }: Case): Assessment {
  const { openings_min, sales_max, strength } = parameters.no_sales
  const { one } = leftOf(counts.at, peers.now_ms, 'shift')
  const openings = (counts.shift[INDEX.drawer] ?? 0) * one
  const sales = (counts.shift[INDEX.sale] ?? 0) * one
  if (openings < openings_min || sales > sales_max) return NOTHING
  return measure(strength, 'openings_without_sales', { openings, sales })
}

/** Returns undefined without a void within `drawer_after_void.seconds`. */
export function secondsSinceVoid({
  facts,
  at_ms,
  before,
  parameters,
}: Pick<Case, 'facts' | 'at_ms' | 'before' | 'parameters'>): number | undefined {
  if (facts.action_type !== 'no_sale' && facts.action_type !== 'drawer_open') return undefined
  const last = before.recent.findLast(([at, kind]) => kind === 'void' && at <= at_ms)
  if (last === undefined) return undefined
  const seconds = (at_ms - last[0]) / 1000
  return seconds <= parameters.drawer_after_void.seconds ? seconds : undefined
}

/** Pickups by a manager, who rings up no sales, are normal; a cashier is compared with the peers. */
function assessPickup({ counts, peers, parameters }: Case): Assessment {
  const sales = (counts.month[INDEX.sale] ?? 0) * leftOf(counts.at, peers.now_ms, 'month').one
  if (sales < parameters.pickup.sales_min) return NOTHING
  const { strength, numbers } = assessRate('pickup', counts, peers, parameters.rates)
  return measure(Math.min(strength, parameters.pickup.strength_max), 'own_pickup', numbers)
}
