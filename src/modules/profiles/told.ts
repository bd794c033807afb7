/**
 * What others have to tell of a profile and its device: the shared reputation, and checks of the
 * device. Steps of orders and profiles read it together with the states.
 */
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import { type Read, readFrom } from '../../platform/states/index.ts'
import { judge, type Opinion, opinionReader, type ReputationStore } from '../reputation/index.ts'
import { fadedCheckRisk } from './check-risk.ts'
import { type CheckRiskFound, checkRiskReader } from './store.ts'

const KINDS = ['device', 'ip', 'profile'] as const
type Kind = (typeof KINDS)[number]

/** Under which the shared reputation knows them. */
export type ReputationKeys = Partial<Record<Kind, string>>

export type Named = {
  external_id?: string | undefined
  fingerprint_hash?: string | undefined
  ip_hash?: string | undefined
}

export type Asked = {
  org_id: string
  /** Id of the state of the device; undefined when there is none. */
  device_id: string | undefined
  reputation_keys: ReputationKeys
}

/** Each 0-100; 0 when nothing is known. */
export type Told = { check_risk: number; reputation: Record<Kind, number> }

export function reputationKeys(
  reputation: ReputationStore,
  { org_id, mode }: { org_id: string; mode: Mode },
  { external_id, fingerprint_hash, ip_hash }: Named,
): ReputationKeys {
  const keys: ReputationKeys = {}
  const key = (kind: Kind, value: string) => reputation.key({ org_id, mode, kind, value })
  if (fingerprint_hash !== undefined) keys.device = key('device', fingerprint_hash)
  if (ip_hash !== undefined) keys.ip = key('ip', ip_hash)
  if (external_id !== undefined) keys.profile = key('profile', external_id)
  return keys
}

export function readsOf({ org_id, device_id, reputation_keys }: Asked): Read[] {
  const reads: Read[] = []
  if (device_id !== undefined) reads.push(readFrom(checkRiskReader, { org_id, device_id }))
  for (const kind of KINDS) {
    const key_hash = reputation_keys[kind]
    if (key_hash !== undefined) reads.push(readFrom(opinionReader, { org_id, key_hash }))
  }
  return reads
}

/** @param answers to `readsOf`, in its order */
export function toldBy(
  { device_id, reputation_keys }: Asked,
  answers: readonly unknown[],
  now: Date,
): Told {
  let next = 0
  const told: Told = { check_risk: 0, reputation: { device: 0, ip: 0, profile: 0 } }
  if (device_id !== undefined) {
    told.check_risk = fadedCheckRisk(answers[next] as CheckRiskFound, now)
    next += 1
  }
  for (const kind of KINDS) {
    if (reputation_keys[kind] === undefined) continue
    const opinions = answers[next] as Opinion[]
    if (opinions.length > 0) {
      const { score, shared } = judge(opinions, now)
      // The owner of an account that was taken over comes back, and an address is many people's.
      // What the organisation itself found out of those fades in days, with its labels.
      told.reputation[kind] = kind === 'device' ? score : shared
    }
    next += 1
  }
  return told
}
