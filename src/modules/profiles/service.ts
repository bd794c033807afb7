import { canonicalJson } from '../../platform/canonical-json.ts'
import type { Clock } from '../../platform/clock.ts'
import type { NewId } from '../../platform/ids.ts'
import { type Imported, importedOf } from '../../platform/imported.ts'
import type { Owner } from '../../platform/owner.ts'
import type { Lane, StateId } from '../../platform/states/index.ts'
import type { DevicesParameters } from '../behavior/index.ts'
import type { ReputationStore } from '../reputation/index.ts'
import { importedProfileStep } from './import-step.ts'
import { reputationKeys } from './risk-reads.ts'
import type { ProfileRequest, UpsertedProfile } from './schema.ts'
import { type ProfileJob, profileStep } from './step.ts'

/** `seen_at` is the time at which the facts were known. */
export type PastProfile = { request: ProfileRequest; seen_at: Date }

export type Profiles = {
  upsert(owner: Owner, request: ProfileRequest): Promise<UpsertedProfile>
  /** Applies facts as if each had been sent at its time, without events. */
  importAll(owner: Owner, profiles: readonly PastProfile[]): Promise<Imported[]>
}

export type ProfilesDependencies = {
  lane: Lane
  clock: Clock
  newId: NewId
  stateId: StateId
  reputation: ReputationStore
  /** Reads the device parameters of the organization's rules. */
  devicesOf: (owner: Owner) => Promise<DevicesParameters>
}

export function createProfiles(deps: ProfilesDependencies): Profiles {
  const { lane, clock, stateId, reputation, devicesOf } = deps
  const prepare = (
    owner: Owner,
    request: ProfileRequest,
    received_at: Date,
    devices: DevicesParameters,
  ): ProfileJob => {
    const { external_id, fingerprint_hash, ip_hash } = request
    const device = fingerprint_hash && stateId(owner, 'device', fingerprint_hash)
    const ip = ip_hash && stateId(owner, 'ip', ip_hash)
    return {
      ...owner,
      request,
      keys: { profile: stateId(owner, 'profile', external_id), device, ip },
      device_id: device,
      reputation_keys: reputationKeys(reputation, owner, request),
      received_at,
      devices,
    }
  }
  return {
    upsert: async (owner, request) => {
      const devices = await devicesOf(owner)
      return await lane.submit(profileStep(deps, prepare(owner, request, clock.now(), devices)))
    },
    importAll: async (owner, profiles) => {
      const devices = await devicesOf(owner)
      const imported_at = clock.now()
      return await Promise.all(
        profiles.map((past) => {
          const job = prepare(owner, past.request, past.seen_at, devices)
          const line = { ...past.request, seen_at: past.seen_at.toISOString() }
          const line_hash = stateId(owner, 'imported_profile', canonicalJson(line))
          const step = importedProfileStep(deps, job, { line_hash, imported_at })
          return importedOf(lane.submit(step), (isNew) => isNew)
        }),
      )
    },
  }
}
