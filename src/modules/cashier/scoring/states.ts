/** States of cashiers, tills and peers: plain JSON of bounded size, however long the history is. */
import type { Counts } from './counts.ts'
import type { CustomersState } from './customers.ts'
import type { ShiftEvent } from './shifts.ts'

/** A service desk has more returns than a till, so each is compared only with its own kind. */
export type Role = 'till' | 'desk'

export type CashierState = {
  v: 1
  /** Time of the latest event, in ms. */
  latest_at: number
  till: Counts | null
  desk: Counts | null
  shifts: readonly ShiftEvent[]
  /** Sales since the end of the last shift. */
  sales_off_shift: number
  /** Number of events by local hour; empty as soon as there are shift events. */
  hours: readonly number[]
  /** Sensitive actions of the last minutes, oldest first. */
  recent: readonly RecentAction[]
  /** Time of the latest cash sale in ms, 0 without one. */
  cash_sale_at: number
  place: { location: string; role: Role; at: number }
  /** Work at the present till that is not published there yet. */
  stint: { till: string; sales: number; refunds: number }
  unpublished: { since: number; sales: number }
  sales: { mean_cents: number; count: number; currency: string; votes: number }
  customers: CustomersState
  /** At tills; absent in states of earlier versions. */
  rises?: RisesState
}

/** The rates of a cashier at tills over time. */
export type RisesState = {
  /** Number of sales so far. */
  sold: number
  kinds: Readonly<Partial<Record<ActionKind, Rise>>>
  raised: Readonly<Partial<Record<ActionKind, RaisedState>>>
}

export type Rise = {
  /** Natural logarithm of the likelihood ratio of a higher rate; 0 without a rise. */
  score: number
  /** Own rate before the rise as a multiple of that of the peers. */
  times: number
  /** Number of sales up to the last action of the kind. */
  sold: number
  /** Time in ms at which the rise began. */
  from: number
  /** Actions since then, and those that were expected. */
  count: number
  expected: number
}

/** The last flag for a finding about more than a shift. */
export type RaisedState = { at: number; strength: number }

export type ActionKind = 'void' | 'refund' | 'override' | 'drawer'
export type RecentAction = readonly [at: number, kind: ActionKind]

/** An edge device at which cashiers work. */
export type TillState = {
  v: 1
  /** Location by its orders, empty while unknown. */
  location: string
  location_at: number
  /** Time of the first event there, in ms. */
  since: number
  members: readonly TillMember[]
}

export type TillMember = { id: string; at: number; sales: number; refunds: number }

/** The cashiers of one location. */
export type StoreCashiersState = {
  v: 1
  /** Usual currency there, empty while unknown. */
  currency: string
  /** Time of the first event there, in ms. */
  since: number
  members: readonly Member[]
}

/** Counts that a cashier last published, per role. */
export type Member = {
  id: string
  role: Role
  at: number
  week: readonly number[]
  month: readonly number[]
}

/** Last reports of the locations of an organization. */
export type OrganizationCashiersState = { v: 1; stores: readonly StoreReport[] }

export type StoreReport = {
  id: string
  role: Role
  at: number
  month: readonly number[]
  /** For each family of kinds, the weighted sum of the squared relative deviations, and the weight. */
  spread: readonly number[]
}

export type CashierStates = {
  cashier: CashierState | undefined
  /** Undefined without an edge_device_id. */
  till: TillState | undefined
  /** State of the location; a sale without a location is not published. */
  store: StoreCashiersState | undefined
  /** Only actions read it; `recordSale` returns it unchanged. */
  organization: OrganizationCashiersState | undefined
}
