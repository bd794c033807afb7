/**
 * Assesses the device of an order: shared by many profiles, one of many new ones, new together with
 * other unusual facts, or known from a fraud. A fingerprint from a terminal of the shop (an order
 * with an edge device) or from staff belongs to the shop, so it neither counts nor is learned.
 */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../platform/time-units.ts'
import {
  type Assessment,
  assessNewDevices,
  assessSharedDevice,
  assessSharedIp,
  clamp,
  type DevicesParameters,
  type DevicesState,
  isNewDevice as isNew,
  learnSeen,
  linkDevice,
  newDeviceRate,
  QUIET,
  shortHash,
  stronger,
  type VelocityState,
} from '../../behavior/index.ts'
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

/** How far the amount lies above what the profile itself usually spends */
type OwnDistance = { readonly own_z: number | undefined }

/** Other signals of the order that a new device is judged with. */
export type OtherSignals = { readonly location: Assessment; readonly amount: OwnDistance }

export function assessDevice(
  facts: OrderFacts,
  states: OrderStates,
  { at_ms, ...others }: OtherSignals & { readonly at_ms: number },
  { devices: parameters }: { readonly devices: DevicesParameters },
): Assessment {
  const { profile, device, ip } = states
  if (!isCustomer(profile)) return QUIET
  let worst = QUIET
  const consider = (found: Assessment): void => {
    worst = stronger(worst, found)
  }
  const fingerprint = ownFingerprint(facts)
  if (fingerprint !== undefined) {
    consider(assessFlaggedDevice(device, facts.check_risk, at_ms, parameters))
  }
  if (facts.profile_id === undefined) return worst
  const id = shortHash(facts.profile_id)
  if (fingerprint !== undefined) {
    const hash = shortHash(fingerprint)
    consider(assessUndecided(device, id, at_ms))
    consider(assessSharedDevice(device?.users, id, at_ms, parameters))
    consider(assessNewDevices(profile?.devices, hash, at_ms, profile?.first_seen_at ?? at_ms))
    if (profile !== undefined && isNew(profile.devices, hash, at_ms)) {
      consider(assessTakeover(profile, others, at_ms, parameters))
    }
  }
  if (facts.ip_hash !== undefined && facts.edge_device_id === undefined) {
    consider(assessSharedIp(ip?.users, id, at_ms))
  }
  return worst
}

const UNDECIDED_MS = 7 * DAY_MS
const UNDECIDED_SHARE = 0.75

/** Assesses a critical order of another profile from the device that no one has decided yet. */
function assessUndecided(
  device: DeviceState | undefined,
  profile: number,
  at_ms: number,
): Assessment {
  const undecided = device?.undecided
  if (undecided === undefined) return QUIET
  const [score, minute, other] = undecided
  if (other === profile || Math.abs(at_ms - minute * MINUTE_MS) > UNDECIDED_MS) return QUIET
  return found(UNDECIDED_SHARE * score, 'undecided_fraud_on_device', { undecided_score: score })
}

/** Forgets the undecided order of a device once it is decided; frauds are stored as labels. */
export function decideDevice(device: DeviceState, profile_id: string | undefined): DeviceState {
  const { undecided, ...rest } = device
  const isOwn = profile_id !== undefined && undecided?.[2] === shortHash(profile_id)
  return isOwn ? rest : device
}

/** Whether a profile with older devices uses one that it has not used before the last few days. */
export function isNewDevice(facts: OrderFacts, { profile }: OrderStates, at_ms: number): boolean {
  const fingerprint = ownFingerprint(facts)
  if (fingerprint === undefined || profile === undefined) return false
  return isNew(profile.devices, shortHash(fingerprint), at_ms)
}

const SETTLED_ORDERS = 3
const SETTLED_MS = 7 * DAY_MS
const LARGE_Z = 2
/** A thief seldom orders less than the owner, and a traveler with a new telephone often does. */
const USUAL_Z = 0.5
const TRAVEL: ReadonlySet<string> = new Set(['impossible_travel', 'fast_travel'])
/** Strength of the location signal from which a place counts as far from home. */
const FAR_STRENGTH = 35

/**
 * Assesses a new device of a settled profile. With a distant place and a large amount it suggests
 * an account takeover.
 */
function assessTakeover(
  profile: ProfileState,
  { location, amount }: OtherSignals,
  at_ms: number,
  parameters: DevicesParameters,
): Assessment {
  const isSettled =
    profile.total_orders >= SETTLED_ORDERS || at_ms - profile.first_seen_at >= SETTLED_MS
  if (!isSettled) return QUIET
  const isFar = location.strength >= FAR_STRENGTH
  const z = amount.own_z ?? 0
  const { devices, total_orders } = profile
  const numbers = { devices_known: devices.count, orders: total_orders }
  // A profile whose device looks new with nearly every order, as with private browsing, is no
  // surprise.
  const surprise = 1 - newDeviceRate(devices, total_orders, at_ms)
  if (isFar && z > LARGE_Z) {
    return found(surprise * parameters.takeover_score, 'account_takeover', numbers)
  }
  if (isFar) {
    const { new_device_score, new_device_far_score } = parameters
    const isTravel = location.finding !== null && TRAVEL.has(location.finding)
    const share = isTravel ? 1 : clamp(1 + z / USUAL_Z, 0, 1)
    const strength = new_device_score + share * Math.max(0, new_device_far_score - new_device_score)
    return found(surprise * strength, 'new_device_far_away', numbers)
  }
  if (z > LARGE_Z) {
    const strength = surprise * parameters.new_device_large_score
    return found(strength, 'new_device_large_amount', numbers)
  }
  return found(surprise * parameters.new_device_score, 'new_device', numbers)
}

/** Adds the device of the order to those of its profile. */
export function learnOwnDevices(
  devices: DevicesState,
  facts: OrderFacts,
  at_ms: number,
): DevicesState {
  const fingerprint = ownFingerprint(facts)
  return fingerprint === undefined ? devices : linkDevice(devices, shortHash(fingerprint), at_ms)
}

/** An order from a device or IP address: its time, the velocity including it, and its profile. */
type Use = { at_ms: number; velocity: VelocityState; profile: ProfileState | undefined }

const CRITICAL_SCORE = 70

export function learnDevice(
  device: DeviceState | undefined,
  facts: OrderFacts,
  { at_ms, velocity, profile, risk_score }: Use & { risk_score: number },
): DeviceState {
  const before = device ?? NEW_DEVICE
  const { fraud, legitimate } = before.labels
  const { profile_id } = facts
  const isUndecided =
    risk_score >= CRITICAL_SCORE && profile_id !== undefined && facts.edge_device_id === undefined
  if (!isUndecided && fraud + legitimate === 0 && hasOnlyOwner(before, facts, at_ms)) return before
  const {
    users,
    v,
    labels,
    alerts,
    undecided: earlier,
  } = usedInOrder(before, facts, at_ms, profile)
  const undecided = isUndecided
    ? ([risk_score, Math.floor(at_ms / MINUTE_MS), shortHash(profile_id)] as const)
    : earlier
  const learned = { v, velocity, users, labels: learnSeen(labels, at_ms), alerts }
  return undecided === undefined ? learned : { ...learned, undecided }
}

export function learnIp(
  ip: IpState | undefined,
  facts: OrderFacts,
  { at_ms, velocity, profile }: Use,
): IpState {
  const before = ip ?? NEW_IP
  if (hasOnlyOwner(before, facts, at_ms)) return before
  const { users, v } = usedInOrder(before, facts, at_ms, profile)
  return { v, velocity, users }
}

/**
 * Whether only the ordering profile uses a device or address. Its state then adds nothing to that
 * of the profile, and need not be updated with every order.
 */
function hasOnlyOwner(
  { users }: DeviceState | IpState,
  { profile_id, edge_device_id }: OrderFacts,
  at_ms: number,
): boolean {
  const [first] = users.profiles
  if (profile_id === undefined || edge_device_id !== undefined || first === undefined) return false
  const [owner, , seen_hour] = first
  const isSeenRecently = Math.abs(at_ms - seen_hour * HOUR_MS) < OWNER_SEEN_MS
  return users.count === 1 && owner === shortHash(profile_id) && isSeenRecently
}

/** Precision of the last-seen time of an only user. */
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

const found = (score: number, finding: string, numbers: Assessment['numbers']): Assessment => ({
  score: Math.round(score),
  strength: score,
  finding,
  numbers,
})
