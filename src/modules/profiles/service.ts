/** Use case of profiles: upsert one. */
import type { Clock } from '../../platform/clock.ts'
import type { NewId } from '../../platform/ids.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import type { Lane, StateId } from '../../platform/states/index.ts'
import type { DevicesParameters } from '../behaviour/index.ts'
import type { ReputationStore } from '../reputation/index.ts'
import type { ProfileRequest, UpsertedProfile } from './schema.ts'
import { profileStep } from './step.ts'
import { reputationKeys } from './told.ts'

export type Profiles = {
  upsert(owner: { org_id: string; mode: Mode }, request: ProfileRequest): Promise<UpsertedProfile>
}

export type ProfilesDependencies = {
  lane: Lane
  clock: Clock
  newId: NewId
  stateId: StateId
  reputation: ReputationStore
  /** What the organisation's rules say of devices. */
  devicesOf: (owner: { org_id: string; mode: Mode }) => Promise<DevicesParameters>
}

export function createProfiles(deps: ProfilesDependencies): Profiles {
  const { lane, clock, newId, stateId, reputation, devicesOf } = deps
  return {
    upsert: async (owner, request) => {
      const { external_id, fingerprint_hash, ip_hash } = request
      const device = fingerprint_hash && stateId(owner, 'device', fingerprint_hash)
      const ip = ip_hash && stateId(owner, 'ip', ip_hash)
      const devices = await devicesOf(owner)
      return await lane.submit(
        profileStep(newId, {
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
