/** What a cashier is remembered by from the first event on, and what every event changes. */

import { EMPTY_CUSTOMERS } from './customers.ts'
import { shortKey } from './keys.ts'
import type { CashierParameters } from './parameters.ts'
import type { CashierState, CashierStates, Role, TillState } from './states.ts'
import { roleAt } from './till.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const AHEAD_MS = 5 * MINUTE_MS
const ROLE_REMEMBERED_MS = 12 * HOUR_MS
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

/** What lies in the future happens now; a clock may be five minutes fast. */
export function timeOf(told_ms: number, now_ms: number): number {
  return Math.round(told_ms > now_ms + AHEAD_MS ? now_ms : told_ms)
}

/** The role of a cashier at a till; without one, what it was within the last hours. */
export function roleOf(
  cashier_id: string,
  edge_device_id: string | undefined,
  { cashier, till }: CashierStates,
  at_ms: number,
  rules: CashierParameters['desk'],
): Role {
  if (edge_device_id !== undefined) return roleAt(till, shortKey(cashier_id), at_ms, rules)
  const isRecent = cashier !== undefined && at_ms - cashier.place.at <= ROLE_REMEMBERED_MS
  return isRecent ? cashier.place.role : 'till'
}

/**
 * Where an action takes place, as the key of its peers: what orders told of the till, else of the
 * cashier, else the till itself, else the whole organisation.
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

/** Where a sale takes place; undefined without a name, because the name of the till may come later. */
export function locationOfSale(location_name: string | undefined): string | undefined {
  const name = location_name?.trim().toLowerCase()
  return name === undefined || name === '' ? undefined : `location ${name}`
}

/** By the hour, for cashiers who never sent a shift event. */
export function addHour(state: CashierState, hour: number): readonly number[] {
  if (state.shifts.length > 0) return state.hours
  const hours =
    state.hours.length === 24 ? state.hours.slice() : Array.from({ length: 24 }, () => 0)
  hours[hour] = (hours[hour] ?? 0) + 1
  const events = hours.reduce((sum, count) => sum + count, 0)
  return events > HOURS_EVENTS_MAX ? hours.map((count) => Math.floor(count / 2)) : hours
}

/** What was done at the present till; what was not published of another one is let go. */
export function addToStint(
  { stint }: CashierState,
  edge_device_id: string | undefined,
  done: { sales: number; refunds: number },
): CashierState['stint'] {
  const till = edge_device_id === undefined ? '' : shortKey(edge_device_id)
  const before = stint.till === till ? stint : { sales: 0, refunds: 0 }
  return { till, sales: before.sales + done.sales, refunds: before.refunds + done.refunds }
}
