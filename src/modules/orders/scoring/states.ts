/**
 * States that an order is compared with and updates: one small JSON value of bounded size per key.
 */
import type {
  AmountsState,
  HoursState,
  LabelsState,
  MomentsState,
  OutcomesState,
  RarityState,
  TinyRateState,
  VelocityState,
} from '../../behavior/index.ts'
import type { AlertsState, DeviceState, IpState, ProfileState } from '../../profiles/index.ts'

export type { DeviceState, IpState, ProfileState }

/** A member is undefined when its key is missing or has no state yet. */
export type OrderStates = {
  /** The key is always present. */
  organization: OrganizationState | undefined
  /** Present with a `profile_id`. */
  profile: ProfileState | undefined
  /** Present with an `edge_device_id`. */
  terminal: TerminalState | undefined
  /** Present for anonymous orders with a `location_name` and no `edge_device_id`. */
  store: StoreState | undefined
  /** Present with a `fingerprint_hash`. */
  device: DeviceState | undefined
  /** Present with an `ip_hash`. */
  ip: IpState | undefined
}

export type OrganizationState = {
  readonly v: 1
  /** Total number of orders, which is the sequence number of the last one. */
  readonly orders: number
  /** Per currency and order type, most recently used first. */
  readonly amounts: readonly OrganizationAmounts[]
  /** Distribution of how far orders of settled profiles lie above what is usual for these. */
  readonly rarity: RarityState
  /**
   * The same for other orders, compared with the organization; absent in states of versions that
   * did not tell them apart.
   */
  readonly stranger_rarity?: RarityState
  /**
   * Distribution of how far orders of settled profiles lie above what is usual in the organization;
   * absent in states of earlier versions.
   */
  readonly shared_rarity?: RarityState
  /** Absent until a stranger places a tiny order. */
  readonly tiny_rate?: TinyRateState
  readonly hours: HoursState
  readonly habit: OrganizationHabit
  /** Measures whether every order gets a decision or only frauds do. */
  readonly labels: LabelsState
}

export type OrganizationAmounts = MomentsState & {
  readonly order_type: string
  /** Largest amount learned; absent in states of earlier versions */
  readonly record_cents?: number
}

/** Order frequency of profiles: orders after the first, and the days that these took. */
export type OrganizationHabit = { readonly orders: number; readonly days: number }

/** State of a terminal (edge device), which many customers use. */
export type TerminalState = {
  readonly v: 1
  readonly velocity: VelocityState
  readonly amounts: AmountsState
  /** Absent in states of earlier versions, which have `labels` instead. */
  readonly outcomes?: OutcomesState
  readonly labels?: LabelsState
  readonly alerts: AlertsState
}

/** Used in place of a terminal for anonymous orders that name only their store. */
export type StoreState = TerminalState
