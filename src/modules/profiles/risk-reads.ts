/**
 * Reads the shared reputation and check scores of a profile and its device. Steps of orders and
 * profiles read them together with the states.
 */
import type { Mode, Owner } from '../../platform/owner.ts'
import { type Read, readFrom } from '../../platform/states/index.ts'
import type { Opinion, ReputationStore } from '../reputation/index.ts'
import { fadedCheckRisk } from './check-risk.ts'
import { type CheckRiskFound, checkRiskReader } from './store.ts'

const KINDS = ['device', 'ip', 'profile'] as const
type Kind = (typeof KINDS)[number]

/** Keys in the shared reputation. */
export type ReputationKeys = Partial<Record<Kind, string>>

export type ReputationNames = {
  external_id?: string | undefined
  fingerprint_hash?: string | undefined
  ip_hash?: string | undefined
}

export type RiskSubject = {
  org_id: string
  mode: Mode
  /** State id of the device; undefined without one. */
  device_id: string | undefined
  reputation_keys: ReputationKeys
}

/** Scores of 0-100; 0 when nothing is known. */
export type KnownRisk = { check_risk: number; reputation: Record<Kind, number> }

export function reputationKeys(
  reputation: ReputationStore,
  { org_id, mode }: Owner,
  { external_id, fingerprint_hash, ip_hash }: ReputationNames,
): ReputationKeys {
  const keys: ReputationKeys = {}
  const key = (kind: Kind, value: string) => reputation.key({ org_id, mode, kind, value })
  if (fingerprint_hash !== undefined) keys.device = key('device', fingerprint_hash)
  if (ip_hash !== undefined) keys.ip = key('ip', ip_hash)
  if (external_id !== undefined) keys.profile = key('profile', external_id)
  return keys
}

export function riskReads(
  { reader }: Pick<ReputationStore, 'reader'>,
  { org_id, mode, device_id, reputation_keys }: RiskSubject,
): Read[] {
  const reads: Read[] = []
  if (device_id !== undefined) reads.push(readFrom(checkRiskReader, { org_id, device_id }))
  for (const kind of KINDS) {
    const key_hash = reputation_keys[kind]
    if (key_hash !== undefined) reads.push(readFrom(reader, { org_id, mode, key_hash }))
  }
  return reads
}

/** @param answers results of `riskReads`, in its order */
export function knownRisk(
  reputation: Pick<ReputationStore, 'judge'>,
  { device_id, reputation_keys }: RiskSubject,
  answers: readonly unknown[],
  now: Date,
): KnownRisk {
  let next = 0
  const known: KnownRisk = { check_risk: 0, reputation: { device: 0, ip: 0, profile: 0 } }
  if (device_id !== undefined) {
    known.check_risk = fadedCheckRisk(answers[next] as CheckRiskFound, now)
    next += 1
  }
  for (const kind of KINDS) {
    if (reputation_keys[kind] === undefined) continue
    const opinions = answers[next] as Opinion[]
    if (opinions.length > 0) {
      const { score, shared } = reputation.judge(opinions, now)
      // Owners return to stolen accounts and many people share an address, so only the reports of
      // others count there; the organization's own findings decay in days with its labels.
      known.reputation[kind] = kind === 'device' ? score : shared
    }
    next += 1
  }
  return known
}
