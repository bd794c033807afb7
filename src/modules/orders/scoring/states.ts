/**
 * What an order is compared with and teaches: small states of fixed size, one per key, plain JSON.
 */
import type {
  AmountsState,
  HoursState,
  LabelsState,
  MomentsState,
  OddsState,
  RarityState,
  VelocityState,
} from '../../behaviour/index.ts'
import type { AlertsState, DeviceState, IpState, ProfileState } from '../../profiles/index.ts'

export type { DeviceState, IpState, ProfileState }

/** A member is undefined when nothing is remembered under its key yet, or when there is no key. */
export type OrderStates = {
  /** Always has a key. */
  organization: OrganizationState | undefined
  /** Key only when `profile_id`. */
  profile: ProfileState | undefined
  /** Key only when `edge_device_id`. */
  terminal: TerminalState | undefined
  /** Key only when `location_name`, anonymous and no `edge_device_id`. */
  store: StoreState | undefined
  /** Key only when `fingerprint_hash`. */
  device: DeviceState | undefined
  /** Key only when `ip_hash`. */
  ip: IpState | undefined
}

export type OrganizationState = {
  readonly v: 1
  /** Orders since the beginning; the number of the last one. */
  readonly orders: number
  /** Per currency and order type, most recently used first. */
  readonly amounts: readonly OrganizationAmounts[]
  /** How far above the usual its orders lie. */
  readonly rarity: RarityState
  readonly hours: HoursState
  readonly habit: OrganizationHabit
  /** Tells whether every order gets a decision or only the frauds do. */
  readonly labels: LabelsState
}

export type OrganizationAmounts = MomentsState & { readonly order_type: string }

/** How often a profile orders: orders after its first, and the days that those took. */
export type OrganizationHabit = { readonly orders: number; readonly days: number }

/** An edge device on a counter: many people stand behind it. */
export type TerminalState = {
  readonly v: 1
  readonly velocity: VelocityState
  readonly amounts: AmountsState
  readonly labels: LabelsState
  /** Absent until a fraud there is confirmed. */
  readonly odds?: OddsState
  readonly alerts: AlertsState
}

/** Stands in for the terminal of anonymous orders that tell only where they happened. */
export type StoreState = TerminalState
