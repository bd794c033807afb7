/** Updates the states after an action, in addition to the counts it was scored with. */
import { addRecent, secondsSinceCashSale } from './bursts.ts'
import type { Case } from './case.ts'
import { addHour, addToStint } from './cashier-state.ts'
import type { Addition } from './counts.ts'
import { roundness } from './currencies.ts'
import { secondsSinceVoid } from './drawer.ts'
import type { ActionType } from './facts.ts'
import { EMPTY_ORGANIZATION, emptyStore, isReportDue, publish, report } from './publish.ts'
import { NO_RISES, withRise } from './rises.ts'
import { mismatchOf } from './round-refunds.ts'
import { addShiftEvent } from './shifts.ts'
import type { ActionKind, CashierState, CashierStates, RaisedState } from './states.ts'
import { addToTill, emptyTill } from './till.ts'

const KIND_OF: Readonly<Partial<Record<ActionType, ActionKind>>> = {
  void: 'void',
  refund: 'refund',
  discount_override: 'override',
  price_override: 'override',
  no_sale: 'drawer',
  drawer_open: 'drawer',
}

/** A discount above this number of mean sales is an error in the amount. */
const SIZE_MAX = 10
/** Assumed size of an override of unknown amount, as a share of a sale. */
const SIZE_UNKNOWN = 0.2

/** Returns undefined for supervised cash movements and for shift events. */
export function recentKindOf(type: ActionType): ActionKind | undefined {
  return KIND_OF[type]
}

export function additionsOf(current: Case, isOffShift: boolean): Addition[] {
  const { facts, before } = current
  if (facts.action_type === 'cash_pickup') return [['pickup', 1]]
  const kind = recentKindOf(facts.action_type)
  if (kind === undefined) return []
  const additions: Addition[] = [[kind, 1]]
  if (isOffShift) additions.push(['off_shift', 1])
  if (kind === 'refund') additions.push(...refundAdditions(current))
  if (kind === 'override') {
    const { mean_cents } = before.sales
    const { amount_cents } = facts
    const isKnown = amount_cents !== undefined && mean_cents > 0
    additions.push([
      'override_size',
      isKnown ? Math.min(amount_cents / mean_cents, SIZE_MAX) : SIZE_UNKNOWN,
    ])
  }
  if (secondsSinceCashSale(current) !== undefined) additions.push(['void_after_cash', 1])
  if (secondsSinceVoid(current) !== undefined) additions.push(['drawer_after_void', 1])
  return additions
}

function refundAdditions(current: Case): Addition[] {
  const { facts, currency, at_ms } = current
  const mismatch = mismatchOf(facts.order, facts.amount_cents ?? 0, at_ms, current)
  if (mismatch === undefined) return [['matched_refund', 1]]
  // The order of another cashier explains most honest refunds at a till, so those would hide the rest.
  if (mismatch === 'order_of_another') return []
  const isRound = facts.amount_cents !== undefined && roundness(facts.amount_cents, currency) === 1
  return isRound ? [['unmatched_round', 1]] : []
}

export function nextStates(
  current: Case,
  states: CashierStates,
  raised: RaisedState | undefined,
): CashierStates {
  const { facts, at_ms, peers, parameters } = current
  const cashier = nextCashier(current, raised)
  const store = publish(states.store ?? emptyStore(at_ms), peers.cashier, peers.role, cashier)
  const organization = isReportDue(states.organization, peers, parameters.publish)
    ? report(states.organization ?? EMPTY_ORGANIZATION, store, peers, parameters.rates)
    : states.organization
  const till =
    facts.edge_device_id === undefined
      ? states.till
      : addToTill(states.till ?? emptyTill(at_ms), peers.cashier, at_ms, cashier.stint)
  const stint = { ...cashier.stint, sales: 0, refunds: 0 }
  return { cashier: { ...cashier, stint }, till, store, organization }
}

function nextCashier(
  { facts, at_ms, before, counts, peers, rise }: Case,
  raised: RaisedState | undefined,
): CashierState {
  const kind = recentKindOf(facts.action_type)
  const shifts = shiftsAfter(before, facts.action_type, at_ms)
  const isShiftEvent = shifts !== before.shifts
  const isLatest = at_ms >= before.place.at
  return {
    ...before,
    latest_at: Math.max(before.latest_at, at_ms),
    [peers.role]: counts,
    shifts,
    sales_off_shift: isShiftEvent ? 0 : before.sales_off_shift,
    hours: shifts.length > 0 ? [] : addHour(before, facts.local_hour),
    recent: kind === undefined ? before.recent : addRecent(before.recent, [at_ms, kind]),
    place: isLatest
      ? { location: before.place.location, role: peers.role, at: at_ms }
      : before.place,
    stint: addToStint(before, facts.edge_device_id, {
      sales: 0,
      refunds: kind === 'refund' ? 1 : 0,
    }),
    unpublished: { since: at_ms, sales: 0 },
    ...(kind !== undefined &&
      peers.role === 'till' && { rises: withRise(before.rises ?? NO_RISES, kind, rise, raised) }),
  }
}

function shiftsAfter({ shifts }: CashierState, type: ActionType, at: number) {
  if (type === 'shift_start') return addShiftEvent(shifts, [at, 'start'])
  if (type === 'shift_end') return addShiftEvent(shifts, [at, 'end'])
  return shifts
}
