/**
 * Devices of one profile: assesses how many new ones it used recently (fraud research 3.5). Times
 * are in ms since 1970. Lists hold short hashes and minutes, so that a full one stays small.
 */
import { DAY_MS, MINUTE_MS, WEEK_MS } from '../../platform/time-units.ts'
import { curve, step } from '../risk/index.ts'
import { type Assessment, assessed } from './measurement.ts'

/** Devices of one profile, most recently used first. */
export type DevicesState = {
  readonly known: readonly KnownDevice[]
  /** Devices ever linked, including those dropped from `known`. */
  readonly count: number
}

export type KnownDevice = readonly [device: number, first_seen_minute: number]

export const EMPTY_DEVICES: DevicesState = { known: [], count: 0 }
/** PARAMETER_TEXTS of the order scoring explains these numbers. */
export const DEVICES_PARAMETERS = {
  flagged_score: 70,
  check_risk_min: 50,
  public_score: 40,
  new_device_score: 10,
  new_device_far_score: 60,
  new_device_large_score: 45,
  takeover_score: 85,
  anomaly_score: 35,
}
export type DevicesParameters = Readonly<typeof DEVICES_PARAMETERS>

const DEVICES_MAX = 10

/** Strength by the number of new devices within a day and within a week. */
const NEW_IN_DAY = curve({ 2: 30, 3: 55, 4: 70, 5: 80 })
const NEW_IN_WEEK = curve({ 4: 30, 6: 55, 10: 80 })

/** Younger profiles have no usual week to compare with. */
const SETTLED_MS = 2 * WEEK_MS
/** A device stays new for three days, because an account thief returns with it. */
const NEW_MS = 3 * DAY_MS

/** Whether a profile with older devices uses one that it started using only recently. */
export function isNewDevice({ known }: DevicesState, device: number, at_ms: number): boolean {
  let hasOlder = false
  let isOlder = false
  for (const entry of known) {
    if (at_ms - entry[1] * MINUTE_MS < NEW_MS) continue
    hasOlder = true
    if (entry[0] === device) isOlder = true
  }
  return hasOlder && !isOlder
}

/**
 * Share of a profile's orders that came from a device not seen before, 0-1, without the devices
 * that are new now. Three pseudo-orders keep two devices from making a habit.
 */
export function newDeviceRate(
  { known, count }: DevicesState,
  orders: number,
  at_ms: number,
): number {
  let fresh = 0
  for (const entry of known) if (at_ms - entry[1] * MINUTE_MS < NEW_MS) fresh += 1
  return Math.min(1, Math.max(0, count - 1 - fresh) / (orders + 3))
}

/**
 * Assesses how many new devices, this one included, a profile used beyond its usual rate; private
 * browsers look new every time. A device known for longer than the windows is not part of the
 * burst, so its owner does not pay for an attacker's attempts.
 *
 * @param since_ms when the profile was first seen
 */
export function assessNewDevices(
  state: DevicesState | undefined,
  device: number,
  at_ms: number,
  since_ms: number,
): Assessment {
  const devices = state ?? EMPTY_DEVICES
  let in_day = 0
  let in_week = 0
  let isOld = false
  let isKnown = false
  for (const entry of devices.known) {
    const age_ms = Math.abs(at_ms - entry[1] * MINUTE_MS)
    if (age_ms <= DAY_MS) in_day += 1
    if (age_ms <= WEEK_MS) in_week += 1
    if (entry[0] === device) {
      isKnown = true
      isOld = age_ms > WEEK_MS
    }
  }
  const more = isKnown ? 0 : 1
  const numbers = {
    new_devices_day: in_day + more,
    new_devices_week: in_week + more,
    devices_known: devices.count,
  }
  if (isOld) return assessed(0, 'rapid_device_change', numbers)
  const weekly = usualPerWeek(devices.count - in_week, at_ms - since_ms)
  const score = Math.max(
    step(NEW_IN_DAY, in_day + more - Math.round(weekly / 7)),
    step(NEW_IN_WEEK, in_week + more - Math.round(weekly)),
  )
  return assessed(score, 'rapid_device_change', numbers)
}

/** Returns the new devices per week before this one; the first device does not count. */
function usualPerWeek(before: number, age_ms: number): number {
  if (before < 2 || age_ms < SETTLED_MS) return 0
  return ((before - 1) * WEEK_MS) / (age_ms - WEEK_MS)
}

/** @returns the same state when the device is the most recently used one already */
export function linkDevice(state: DevicesState, device: number, at_ms: number): DevicesState {
  const { known } = state
  const minute = Math.floor(at_ms / MINUTE_MS)
  for (let i = 0; i < known.length; i += 1) {
    const entry = known[i]
    if (entry === undefined || entry[0] !== device) continue
    if (i === 0 && entry[1] <= minute) return state
    const first: KnownDevice = [device, Math.min(entry[1], minute)]
    return { known: [first, ...known.slice(0, i), ...known.slice(i + 1)], count: state.count }
  }
  const next: KnownDevice[] = [[device, minute], ...known.slice(0, DEVICES_MAX - 1)]
  return { known: next, count: state.count + 1 }
}
