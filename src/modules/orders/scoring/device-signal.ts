/**
 * Device of an order: shared by many, one of many new ones, new where everything else is new too,
 * or known from a fraud. A fingerprint that comes from a shop's own terminal (an order with an edge
 * device) is nobody's device, and staff's are the shop's: neither counts nor is learnt.
 */
import {
  type Assessment,
  assessNewDevices,
  assessSharedDevice,
  assessSharedIp,
  DAY_MS,
  type DevicesParameters,
  type DevicesState,
  HOUR_MS,
  isNewDevice as isNew,
  learnSeen,
  linkDevice,
  newDeviceRate,
  shortHash,
  type VelocityState,
} from '../../behaviour/index.ts'
import {
  assessFlaggedDevice,
  type DeviceState,
  type IpState,
  isCustomer,
  NEW_DEVICE,
  NEW_IP,
  type ProfileState,
  usedBy,
} from '../../profiles/index.ts'
import type { OrderFacts } from './facts.ts'
import type { OrderStates } from './states.ts'

/** What else is unusual about the order. */
export type Company = { readonly location: Assessment; readonly amount: Assessment }

export function assessDevice(
  facts: OrderFacts,
  states: OrderStates,
  at_ms: number,
  company: Company,
  { devices: parameters }: { readonly devices: DevicesParameters },
): Assessment {
  const { profile, device, ip } = states
  if (!isCustomer(profile)) return QUIET
  let worst = QUIET
  const consider = (found: Assessment): void => {
    if (found.strength === 0) return
    const numbers = { ...worst.numbers, ...found.numbers }
    worst = found.strength > worst.strength ? { ...found, numbers } : { ...worst, numbers }
  }
  const fingerprint = ownFingerprint(facts)
  if (fingerprint !== undefined) {
    consider(assessFlaggedDevice(device, facts.check_risk, at_ms, parameters))
  }
  if (facts.profile_id === undefined) return worst
  const id = shortHash(facts.profile_id)
  if (fingerprint !== undefined) {
    const hash = shortHash(fingerprint)
    consider(assessSharedDevice(device?.users, id, at_ms, parameters))
    consider(assessNewDevices(profile?.devices, hash, at_ms, profile?.first_seen_at ?? at_ms))
    if (profile !== undefined && isNew(profile.devices, hash, at_ms)) {
      consider(assessStranger(profile, company, at_ms, parameters))
    }
  }
  if (facts.ip_hash !== undefined && facts.edge_device_id === undefined) {
    consider(assessSharedIp(ip?.users, id, at_ms))
  }
  return worst
}

/** Whether a profile that is known by its devices uses one that it never used before these days. */
export function isNewDevice(facts: OrderFacts, { profile }: OrderStates, at_ms: number): boolean {
  const fingerprint = ownFingerprint(facts)
  if (fingerprint === undefined || profile === undefined) return false
  return isNew(profile.devices, shortHash(fingerprint), at_ms)
}

const SETTLED_ORDERS = 3
const SETTLED_MS = 7 * DAY_MS
const LARGE_Z = 2
/** Strength from which on a place is taken to be far from home. */
const FAR_STRENGTH = 35

/** Somebody new buys a lot somewhere new in the name of an old customer: a taken account. */
function assessStranger(
  profile: ProfileState,
  { location, amount }: Company,
  at_ms: number,
  parameters: DevicesParameters,
): Assessment {
  const isSettled =
    profile.total_orders >= SETTLED_ORDERS || at_ms - profile.first_seen_at >= SETTLED_MS
  if (!isSettled) return QUIET
  const isFar = location.strength >= FAR_STRENGTH
  const z = Number(amount.numbers['z'] ?? 0)
  const { devices, total_orders } = profile
  const numbers = { devices_known: devices.count, orders: total_orders }
  // Whoever comes with a new device to nearly every order, as private browsers do, is no stranger.
  const surprise = 1 - newDeviceRate(devices, total_orders, at_ms)
  if (isFar && z > LARGE_Z) {
    return found(surprise * parameters.takeover_score, 'account_takeover', numbers)
  }
  if (isFar) {
    return found(surprise * parameters.new_device_far_score, 'new_device_far_away', numbers)
  }
  if (z > LARGE_Z) {
    const strength = surprise * parameters.new_device_large_score
    return found(strength, 'new_device_large_amount', numbers)
  }
  return found(surprise * parameters.new_device_score, 'new_device', numbers)
}

/** The devices of a profile with the one that it ordered from. */
export function learnOwnDevices(
  devices: DevicesState,
  facts: OrderFacts,
  at_ms: number,
): DevicesState {
  const fingerprint = ownFingerprint(facts)
  return fingerprint === undefined ? devices : linkDevice(devices, shortHash(fingerprint), at_ms)
}

/** @param velocity with the order counted */
export function learnDevice(
  device: DeviceState | undefined,
  facts: OrderFacts,
  at_ms: number,
  velocity: VelocityState,
  profile: ProfileState | undefined,
): DeviceState {
  const before = device ?? NEW_DEVICE
  const { fraud, legitimate } = before.labels
  if (fraud + legitimate === 0 && isOnlyOwners(before, facts, at_ms)) return before
  const { users, v, labels, alerts } = usedInOrder(before, facts, at_ms, profile)
  return { v, velocity, users, labels: learnSeen(labels, at_ms), alerts }
}

/** @param velocity with the order counted */
export function learnIp(
  ip: IpState | undefined,
  facts: OrderFacts,
  at_ms: number,
  velocity: VelocityState,
  profile: ProfileState | undefined,
): IpState {
  const before = ip ?? NEW_IP
  if (isOnlyOwners(before, facts, at_ms)) return before
  const { users, v } = usedInOrder(before, facts, at_ms, profile)
  return { v, velocity, users }
}

/**
 * What only one profile uses says nothing that the profile's own state does not say, so that it
 * need not be counted and written with every order.
 */
function isOnlyOwners(
  { users }: DeviceState | IpState,
  { profile_id, edge_device_id }: OrderFacts,
  at_ms: number,
): boolean {
  const [first] = users.profiles
  if (profile_id === undefined || edge_device_id !== undefined || first === undefined) return false
  const [owner, , seen_hour] = first
  const isSeenLately = Math.abs(at_ms - seen_hour * HOUR_MS) < OWNER_SEEN_MS
  return users.count === 1 && owner === shortHash(profile_id) && isSeenLately
}

/** How far behind the last time may be with which a device or an address knows its only user. */
const OWNER_SEEN_MS = DAY_MS

function usedInOrder<State extends DeviceState | IpState>(
  state: State,
  { profile_id, edge_device_id }: OrderFacts,
  at_ms: number,
  profile: ProfileState | undefined,
): State {
  const isOwn = edge_device_id === undefined && isCustomer(profile)
  return profile_id !== undefined && isOwn ? usedBy(state, profile_id, at_ms) : state
}

const ownFingerprint = ({ fingerprint_hash, edge_device_id }: OrderFacts): string | undefined =>
  edge_device_id === undefined ? fingerprint_hash : undefined

const QUIET: Assessment = { score: 0, strength: 0, finding: null, numbers: {} }

const found = (score: number, finding: string, numbers: Assessment['numbers']): Assessment => ({
  score: Math.round(score),
  strength: score,
  finding,
  numbers,
})
