/**
 * `POST /profiles` as a step: what is told of a profile, added to what is known of it, its device and
 * its ip. What is not told stays as it was.
 */
import {
  type Assessment,
  assessNewDevices,
  assessSharedDevice,
  type DevicesParameters,
  labelRisk,
  learnPlace,
  linkDevice,
  shortHash,
} from '../behaviour/index.ts'
import type { RiskLevel } from '../risk/index.ts'
import { learnCheckRisk } from './risk.ts'
import {
  type DeviceState,
  type IpState,
  isCustomer,
  NEW_DEVICE,
  NEW_IP,
  newProfile,
  type ProfileState,
  type ProfileType,
  usedBy,
} from './state.ts'

export type ProfileFacts = {
  readonly profile_id: string
  readonly profile_type: ProfileType | undefined
  readonly fingerprint_hash: string | undefined
  readonly ip_hash: string | undefined
  /** ISO 3166 alpha-2, upper case. */
  readonly country_code: string | undefined
  /** Both or neither. */
  readonly latitude: number | undefined
  readonly longitude: number | undefined
  /** Strongest recent check of the device, 0-100; 0 = none. */
  readonly check_risk: number
  /** Judged from the shared reputation, 0-100; 0 = nothing known. */
  readonly reputation: { readonly device: number; readonly ip: number; readonly profile: number }
}

export type Upserted = {
  profile: ProfileState
  /** undefined where there is no key. */
  device: DeviceState | undefined
  ip: IpState | undefined
  is_new: boolean
  /** Whether a device was told: it is linked then, for the first time or again. */
  device_linked: boolean
  /** `shared_device`, `rapid_device_change` or `flagged_device` when one stands out. */
  device_anomaly: string | null
  /** Set when the level changed. */
  previous_risk_level: RiskLevel | undefined
}

/** @param device and ip undefined when nothing is known of them, or when they are not told */
export function upsertProfile(
  before: ProfileState | undefined,
  device: DeviceState | undefined,
  ip: IpState | undefined,
  facts: ProfileFacts,
  now_ms: number,
  parameters: DevicesParameters,
): Upserted {
  const known = before ?? newProfile(facts.profile_type ?? 'customer', now_ms)
  const { fingerprint_hash, ip_hash } = facts
  const profile = learnFacts(known, facts, now_ms)
  const anomaly = assessDevice(profile, known, device, facts, now_ms, parameters)
  const is_shared = isCustomer(profile)
  const seen = <State extends DeviceState | IpState>(state: State): State =>
    is_shared ? usedBy(state, facts.profile_id, now_ms) : state
  return {
    profile,
    device: fingerprint_hash === undefined ? undefined : seen(device ?? NEW_DEVICE),
    ip: ip_hash === undefined ? undefined : seen(ip ?? NEW_IP),
    is_new: before === undefined,
    device_linked: fingerprint_hash !== undefined,
    device_anomaly: anomaly,
    previous_risk_level: profile.risk.level === known.risk.level ? undefined : known.risk.level,
  }
}

function learnFacts(profile: ProfileState, facts: ProfileFacts, now_ms: number): ProfileState {
  const { fingerprint_hash, reputation } = facts
  const told_risk = Math.max(facts.check_risk, reputation.device, reputation.profile)
  return {
    ...profile,
    profile_type: facts.profile_type ?? profile.profile_type,
    country_code: facts.country_code ?? profile.country_code,
    last_seen_at: Math.max(profile.last_seen_at, now_ms),
    devices:
      fingerprint_hash === undefined
        ? profile.devices
        : linkDevice(profile.devices, shortHash(fingerprint_hash), now_ms),
    places: learnPlace(profile.places, { ...facts, ...NO_ORDER }, now_ms),
    risk: learnCheckRisk(profile.risk, told_risk, now_ms),
  }
}

const NO_ORDER = { country: undefined, order_type: undefined }

/** @returns the worst pattern when it is bad enough to be told */
function assessDevice(
  profile: ProfileState,
  before: ProfileState,
  device: DeviceState | undefined,
  { profile_id, fingerprint_hash, check_risk, reputation }: ProfileFacts,
  now_ms: number,
  parameters: DevicesParameters,
): string | null {
  if (fingerprint_hash === undefined || !isCustomer(profile)) return null
  const found: Assessment[] = [
    assessNewDevices(before.devices, shortHash(fingerprint_hash), now_ms, before.first_seen_at),
    assessSharedDevice(device?.users, shortHash(profile_id), now_ms, parameters),
    assessFlaggedDevice(device, Math.max(check_risk, reputation.device), now_ms, parameters),
  ]
  const worst = found.reduce((most, one) => (one.strength > most.strength ? one : most))
  return worst.strength >= parameters.anomaly_score ? worst.finding : null
}

/** What is left of one decision after a week. */
const FRAUD_TRACE = 0.05

/**
 * What others have found out about a device: that it was used for a confirmed fraud, or failed a
 * check. @param told_risk strongest check or report, 0-100
 */
export function assessFlaggedDevice(
  device: DeviceState | undefined,
  told_risk: number,
  at_ms: number,
  { flagged_score, check_risk_min }: DevicesParameters,
): Assessment {
  // As if every order got a decision: what nobody complained of does not clear a device.
  const fraud_rate = device === undefined ? 0 : labelRisk(device.labels, 1, at_ms)
  const flagged = fraud_rate >= FRAUD_TRACE ? Math.max(flagged_score, 100 * fraud_rate) : 0
  const told = told_risk >= check_risk_min ? told_risk : 0
  const strength = Math.max(flagged, told)
  if (strength === 0) return { score: 0, strength, finding: null, numbers: {} }
  const numbers = flagged >= told ? { fraud_rate: Math.round(100 * fraud_rate) / 100 } : { told }
  return { score: Math.round(strength), strength, finding: 'flagged_device', numbers }
}
