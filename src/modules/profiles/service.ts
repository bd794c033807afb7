import type { Clock } from '../../platform/clock.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Owner } from '../../platform/owner.ts'
import type { Lane, StateId } from '../../platform/states/index.ts'
import type { DevicesParameters } from '../behavior/index.ts'
import type { ReputationStore } from '../reputation/index.ts'
import { reputationKeys } from './risk-reads.ts'
import type { ProfileRequest, UpsertedProfile } from './schema.ts'
import { profileStep } from './step.ts'

export type Profiles = {
  upsert(owner: Owner, request: ProfileRequest): Promise<UpsertedProfile>
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
  return {
    upsert: async (owner, request) => {
      const { external_id, fingerprint_hash, ip_hash } = request
      const device = fingerprint_hash && stateId(owner, 'device', fingerprint_hash)
      const ip = ip_hash && stateId(owner, 'ip', ip_hash)
      const devices = await devicesOf(owner)
      return await lane.submit(
        profileStep(deps, {
          ...owner,
          request,
          keys: { profile: stateId(owner, 'profile', external_id), device, ip },
          device_id: device,
          reputation_keys: reputationKeys(reputation, owner, request),
          received_at: clock.now(),
          devices,
        }),
      )
    },
  }
}
