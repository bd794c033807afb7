/** The initial state of a cashier, and the parts of it that every event updates. */

import { HOUR_MS, MINUTE_MS } from '../../../platform/time-units.ts'
import { EMPTY_CUSTOMERS } from './customers.ts'
import type { ActionFacts } from './facts.ts'
import type { CashierParameters } from './parameters.ts'
import { shortKey } from './short-key.ts'
import type { CashierState, CashierStates, Role, TillState } from './states.ts'
import { roleAt } from './till.ts'

const AHEAD_MS = 5 * MINUTE_MS
const ROLE_VALID_MS = 12 * HOUR_MS
const HOURS_EVENTS_MAX = 2000

export function emptyCashier(at_ms: number): CashierState {
  return {
    v: 1,
    latest_at: at_ms,
    till: null,
    desk: null,
    shifts: [],
    sales_off_shift: 0,
    hours: [],
    recent: [],
    cash_sale_at: 0,
    place: { location: '', role: 'till', at: at_ms },
    stint: { till: '', sales: 0, refunds: 0 },
    unpublished: { since: at_ms, sales: 0 },
    sales: { mean_cents: 0, count: 0, currency: '', votes: 0 },
    customers: EMPTY_CUSTOMERS,
  }
}

/** Replaces a time in the future by the present; clocks can be five minutes fast. */
export function timeOf(sent_ms: number, now_ms: number): number {
  return Math.round(sent_ms > now_ms + AHEAD_MS ? now_ms : sent_ms)
}

/** Returns the role of a cashier at a till; without a till, the role of the last hours. */
export function roleOf(
  { cashier_id, edge_device_id }: Pick<ActionFacts, 'cashier_id' | 'edge_device_id'>,
  { cashier, till }: CashierStates,
  at_ms: number,
  rules: CashierParameters['desk'],
): Role {
  if (edge_device_id !== undefined) return roleAt(till, shortKey(cashier_id), at_ms, rules)
  const isRecent = cashier !== undefined && at_ms - cashier.place.at <= ROLE_VALID_MS
  return isRecent ? cashier.place.role : 'till'
}

/**
 * Returns the location of an action, as the key of its peers: that of the till by its orders, else
 * that of the cashier, else the till itself, else the whole organization.
 */
export function locationOfAction(
  edge_device_id: string | undefined,
  till: TillState | undefined,
  cashier: CashierState | undefined,
): string {
  if (till !== undefined && till.location !== '') return till.location
  if (cashier !== undefined && cashier.place.location !== '') return cashier.place.location
  return edge_device_id === undefined ? 'organization' : `device ${edge_device_id}`
}

/** Returns undefined without a name, because a later order can still name the till's location. */
export function locationOfSale(location_name: string | undefined): string | undefined {
  const name = location_name?.trim().toLowerCase()
  return name === undefined || name === '' ? undefined : `location ${name}`
}

/** Counts events by hour, for cashiers without shift events. */
export function addHour(state: CashierState, hour: number): readonly number[] {
  if (state.shifts.length > 0) return state.hours
  const hours =
    state.hours.length === 24 ? state.hours.slice() : Array.from({ length: 24 }, () => 0)
  hours[hour] = (hours[hour] ?? 0) + 1
  const events = hours.reduce((sum, count) => sum + count, 0)
  return events > HOURS_EVENTS_MAX ? hours.map((count) => Math.floor(count / 2)) : hours
}

/** Counts work at the present till; unpublished work at another till is dropped. */
export function addToStint(
  { stint }: CashierState,
  edge_device_id: string | undefined,
  done: { sales: number; refunds: number },
): CashierState['stint'] {
  const till = edge_device_id === undefined ? '' : shortKey(edge_device_id)
  const before = stint.till === till ? stint : { sales: 0, refunds: 0 }
  return { till, sales: before.sales + done.sales, refunds: before.refunds + done.refunds }
}
