/**
 * Devices of one profile: how many new ones it came with lately (fraud research 3.5). Times are ms
 * since 1970; a list holds short hashes and minutes, so that a full one stays small.
 */
import type { Assessment } from './measurement.ts'
import { DAY_MS, MINUTE_MS } from './numbers.ts'
import { type Steps, step } from './steps.ts'

/** Devices of one profile, most recently used first. */
export type DevicesState = {
  readonly known: readonly KnownDevice[]
  /** Devices ever linked, also those that dropped out of `known`. */
  readonly count: number
}

export type KnownDevice = readonly [device: number, first_seen_minute: number]

export const EMPTY_DEVICES: DevicesState = { known: [], count: 0 }
export type DevicesParameters = {
  /** What a device known from a confirmed fraud says at least. */
  readonly flagged_score: number
  /** Checks of a device count from here on. */
  readonly check_risk_min: number
  /** The most that a device says which the public has shared for long. */
  readonly public_score: number
  /** A new device of a settled profile: alone, far away, with a larger amount, with both. */
  readonly new_device_score: number
  readonly new_device_far_score: number
  readonly new_device_large_score: number
  readonly takeover_score: number
  /** Strength from which on an upsert names the pattern as `device_anomaly`. */
  readonly anomaly_score: number
}

export const DEVICES_PARAMETERS: DevicesParameters = {
  flagged_score: 70,
  check_risk_min: 50,
  public_score: 40,
  new_device_score: 10,
  new_device_far_score: 60,
  new_device_large_score: 45,
  takeover_score: 85,
  anomaly_score: 35,
}

const DEVICES_MAX = 10

/** New devices within a day and within a week → strength, most first. */
const NEW_IN_DAY: Steps = [
  [5, 80],
  [4, 70],
  [3, 55],
  [2, 30],
]
const NEW_IN_WEEK: Steps = [
  [10, 80],
  [6, 55],
  [4, 30],
]

const WEEK_MS = 7 * DAY_MS
/** Before, nobody has an ordinary week to compare with. */
const SETTLED_MS = 2 * WEEK_MS
/** A device stays new for so long: who took an account over comes back with it. */
const NEW_MS = 3 * DAY_MS

/** Whether a profile that has older devices uses one that it never used, or only since lately. */
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
 * Share of the orders of a profile that come from a device not seen before, 0-1, leaving out the
 * devices that are new now; three orders more than there were, so that two do not make a habit.
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
 * How many new devices a profile came with lately, this one included, beyond those that it always
 * comes with: private browsers look new every time. A device known for longer than the windows is no
 * part of the burst: its owner does not pay for whoever tries the rest.
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

/** New devices of a profile in an ordinary week before this one; the first of all is none. */
function usualPerWeek(before: number, age_ms: number): number {
  if (before < 2 || age_ms < SETTLED_MS) return 0
  return ((before - 1) * WEEK_MS) / (age_ms - WEEK_MS)
}

/** @returns the same state when nothing but the time of the most recent device would change */
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

function assessed(score: number, finding: string, numbers: Assessment['numbers']): Assessment {
  return { score, strength: score, finding: score > 0 ? finding : null, numbers }
}
