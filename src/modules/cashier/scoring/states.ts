/**
 * What is remembered of cashiers, of the tills they work at and of their peers. Small plain JSON of
 * bounded size, whatever the history.
 */
import type { Counts } from './counts.ts'
import type { CustomersState } from './customers.ts'
import type { ShiftEvent } from './shifts.ts'

/** A service desk has more returns than a till; each is compared with its like. */
export type Role = 'till' | 'desk'

export type CashierState = {
  v: 1
  /** ms of the latest event */
  latest_at: number
  till: Counts | null
  desk: Counts | null
  shifts: readonly ShiftEvent[]
  /** Sales rung since the last shift was over. */
  sales_off_shift: number
  /** Events by local hour; empty once shift events are sent. */
  hours: readonly number[]
  /** Sensitive actions of the last minutes, oldest first. */
  recent: readonly RecentAction[]
  /** ms of the latest cash sale, 0 when there was none */
  cash_sale_at: number
  place: { location: string; role: Role; at: number }
  /** At the present till, not yet published there. */
  stint: { till: string; sales: number; refunds: number }
  unpublished: { since: number; sales: number }
  sales: { mean_cents: number; count: number; currency: string; votes: number }
  customers: CustomersState
}

export type ActionKind = 'void' | 'refund' | 'override' | 'drawer'
export type RecentAction = readonly [at: number, kind: ActionKind]

/** One edge device at which cashiers work. */
export type TillState = {
  v: 1
  /** As told by orders, empty while unknown. */
  location: string
  location_at: number
  /** ms of the first event there */
  since: number
  members: readonly TillMember[]
}

export type TillMember = { id: string; at: number; sales: number; refunds: number }

/** The cashiers of one location. */
export type StoreCashiersState = {
  v: 1
  /** Usual there, empty while unknown. */
  currency: string
  /** ms of the first event there */
  since: number
  members: readonly Member[]
}

/** What one cashier last published of the own counts, per role. */
export type Member = {
  id: string
  role: Role
  at: number
  week: readonly number[]
  month: readonly number[]
}

/** What the locations of an organisation last reported. */
export type OrganizationCashiersState = { v: 1; stores: readonly StoreReport[] }

export type StoreReport = {
  id: string
  role: Role
  at: number
  month: readonly number[]
  /** Per family of kinds: weighted sum of squared relative deviations of its cashiers, and weights. */
  spread: readonly number[]
}

export type CashierStates = {
  cashier: CashierState | undefined
  /** Key only when edge_device_id is known. */
  till: TillState | undefined
  /** Under the location; a sale may come without, then nothing is published. */
  store: StoreCashiersState | undefined
  /** Read by actions only; `recordSale` passes it on. */
  organization: OrganizationCashiersState | undefined
}
