/**
 * Applies the facts of `POST /profiles` to the states of the profile, its device and its IP
 * address. Omitted facts leave the states unchanged.
 */
import {
  type Assessment,
  assessNewDevices,
  assessSharedDevice,
  type DevicesParameters,
  labelRisk,
  learnPlace,
  linkDevice,
  QUIET,
  shortHash,
} from '../behavior/index.ts'
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
  /** Strongest recent check of the device, 0-100; 0 for none. */
  readonly check_risk: number
  /** Shared reputation, 0-100; 0 when nothing is known. */
  readonly reputation: { readonly device: number; readonly ip: number; readonly profile: number }
}

export type Upserted = {
  profile: ProfileState
  /** `device` and `ip` are undefined where there is no key. */
  device: DeviceState | undefined
  ip: IpState | undefined
  is_new: boolean
  /** Whether the request named a device, which is linked even when it was before. */
  device_linked: boolean
  /**
   * `shared_device`, `rapid_device_change` or `flagged_device`; null without a suspicious pattern.
   */
  device_anomaly: string | null
  /** Set when the risk level changed. */
  previous_risk_level: RiskLevel | undefined
}

/** States before the upsert; undefined where there is no key or no state yet. */
export type UpsertStates = Pick<Upserted, 'device' | 'ip'> & { profile: ProfileState | undefined }

export function upsertProfile(
  { profile: before, device, ip }: UpsertStates,
  facts: ProfileFacts,
  now_ms: number,
  parameters: DevicesParameters,
): Upserted {
  const known = before ?? newProfile(facts.profile_type ?? 'customer', now_ms)
  const { fingerprint_hash, ip_hash } = facts
  const learned = learnFacts(known, facts, now_ms)
  const found = assessDevice({ before: known, after: learned, device }, facts, now_ms, parameters)
  const isAnomaly = found.strength >= parameters.anomaly_score
  const profile = {
    ...learned,
    risk: learnCheckRisk(known.risk, reportedRisk(facts, isAnomaly ? found.strength : 0), now_ms),
  }
  const is_shared = isCustomer(profile)
  const seen = <State extends DeviceState | IpState>(state: State): State =>
    is_shared ? usedBy(state, facts.profile_id, now_ms) : state
  return {
    profile,
    device: fingerprint_hash === undefined ? undefined : seen(device ?? NEW_DEVICE),
    ip: ip_hash === undefined ? undefined : seen(ip ?? NEW_IP),
    is_new: before === undefined,
    device_linked: fingerprint_hash !== undefined,
    device_anomaly: isAnomaly ? found.finding : null,
    previous_risk_level: profile.risk.level === known.risk.level ? undefined : known.risk.level,
  }
}

function learnFacts(profile: ProfileState, facts: ProfileFacts, now_ms: number): ProfileState {
  const { fingerprint_hash } = facts
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
  }
}

/** @param anomaly strength of the reported anomaly of the device, 0-100; 0 for none */
const reportedRisk = ({ check_risk, reputation }: ProfileFacts, anomaly: number): number =>
  Math.max(check_risk, reputation.device, reputation.profile, anomaly)

const NO_ORDER = { country: undefined, order_type: undefined }

/** @returns the strongest finding about the device */
function assessDevice(
  { before, after, device }: Pick<Upserted, 'device'> & Record<'before' | 'after', ProfileState>,
  { profile_id, fingerprint_hash, check_risk, reputation }: ProfileFacts,
  now_ms: number,
  parameters: DevicesParameters,
): Assessment {
  if (fingerprint_hash === undefined || !isCustomer(after)) return QUIET
  const found: Assessment[] = [
    assessNewDevices(before.devices, shortHash(fingerprint_hash), now_ms, before.first_seen_at),
    assessSharedDevice(device?.users, shortHash(profile_id), now_ms, parameters),
    assessFlaggedDevice(device, Math.max(check_risk, reputation.device), now_ms, parameters),
  ]
  return found.reduce((most, one) => (one.strength > most.strength ? one : most))
}

/** Fraud rate that one decision leaves after a week. */
const FRAUD_TRACE = 0.05

/**
 * Assesses a device that was used for confirmed fraud or failed a check.
 * @param reported_risk strongest check or reputation, 0-100
 */
export function assessFlaggedDevice(
  device: DeviceState | undefined,
  reported_risk: number,
  at_ms: number,
  { flagged_score, check_risk_min }: DevicesParameters,
): Assessment {
  // A coverage of 1 ignores undecided orders, which do not clear a device.
  const fraud_rate = device === undefined ? 0 : labelRisk(device.labels, 1, at_ms)
  const flagged = fraud_rate >= FRAUD_TRACE ? Math.max(flagged_score, 100 * fraud_rate) : 0
  const reported = reported_risk >= check_risk_min ? reported_risk : 0
  const strength = Math.max(flagged, reported)
  if (strength === 0) return QUIET
  const numbers =
    flagged >= reported
      ? { fraud_rate: Math.round(100 * fraud_rate) / 100 }
      : // Stored assessments contain this name.
        { told: reported }
  return { score: Math.round(strength), strength, finding: 'flagged_device', numbers }
}
