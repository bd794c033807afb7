/**
 * States of a profile, a device and an IP address, each a small JSON value under its key. Values
 * are immutable: a step returns the same object or a new one.
 */
import {
  type AmountsState,
  type DevicesState,
  EMPTY_AMOUNTS,
  EMPTY_DEVICES,
  EMPTY_HOURS,
  EMPTY_LABELS,
  EMPTY_PAYMENTS,
  EMPTY_PLACES,
  EMPTY_USERS,
  EMPTY_VELOCITY,
  type HoursState,
  type LabelsState,
  learnUser,
  type PaymentsState,
  type PlacesState,
  type SpendingState,
  shortHash,
  type UsersState,
  type VelocityState,
  type WaitingAmounts,
} from '../behavior/index.ts'
import { EMPTY_RISK, type ProfileRisk } from './risk.ts'

export const PROFILE_TYPES = ['customer', 'cashier', 'employee', 'system'] as const
export type ProfileType = (typeof PROFILE_TYPES)[number]

/** Time of the last alert by pattern, in ms since 1970. */
export type AlertsState = Readonly<Record<string, number>>

export type ProfileState = {
  readonly v: 1
  readonly profile_type: ProfileType
  /** ISO 3166 alpha-2, upper case. */
  readonly country_code: string | null
  readonly first_seen_at: number
  readonly last_seen_at: number
  readonly total_orders: number
  readonly devices: DevicesState
  readonly velocity: VelocityState
  readonly amounts: AmountsState
  /** Absent while no amount waits. */
  readonly waiting_amounts?: WaitingAmounts
  /** Only of young profiles. */
  readonly spending?: SpendingState
  readonly places: PlacesState
  readonly hours: HoursState
  readonly payments: PaymentsState
  readonly labels: LabelsState
  readonly risk: ProfileRisk
  readonly alerts: AlertsState
}

/** A device with a fingerprint; terminals (edge devices) have a separate state. */
export type DeviceState = {
  readonly v: 1
  readonly velocity: VelocityState
  /** Profiles that used the device. */
  readonly users: UsersState
  readonly labels: LabelsState
  readonly alerts: AlertsState
  /** The latest critical order that no one has decided; absent without one. */
  readonly undecided?: UndecidedOrder
}

export type UndecidedOrder = readonly [score: number, minute: number, profile: number]

export type IpState = {
  readonly v: 1
  readonly velocity: VelocityState
  readonly users: UsersState
}

/** @param now_ms time of the first report */
export function newProfile(profile_type: ProfileType, now_ms: number): ProfileState {
  return {
    v: 1,
    profile_type,
    country_code: null,
    first_seen_at: now_ms,
    last_seen_at: now_ms,
    total_orders: 0,
    devices: EMPTY_DEVICES,
    velocity: EMPTY_VELOCITY,
    amounts: EMPTY_AMOUNTS,
    places: EMPTY_PLACES,
    hours: EMPTY_HOURS,
    payments: EMPTY_PAYMENTS,
    labels: EMPTY_LABELS,
    risk: EMPTY_RISK,
    alerts: {},
  }
}

export const NEW_DEVICE: DeviceState = {
  v: 1,
  velocity: EMPTY_VELOCITY,
  users: EMPTY_USERS,
  labels: EMPTY_LABELS,
  alerts: {},
}

export const NEW_IP: IpState = { v: 1, velocity: EMPTY_VELOCITY, users: EMPTY_USERS }

/** Records the use of a device or IP address. @returns the same state when it covers the hour */
export function usedBy<State extends DeviceState | IpState>(
  state: State,
  profile_id: string,
  at_ms: number,
): State {
  const users = learnUser(state.users, shortHash(profile_id), at_ms)
  return users === state.users ? state : { ...state, users }
}

/** Staff serve many customers on devices of the shop, which does not count as sharing. */
export const isCustomer = (profile: Pick<ProfileState, 'profile_type'> | undefined): boolean =>
  profile === undefined || profile.profile_type === 'customer'
