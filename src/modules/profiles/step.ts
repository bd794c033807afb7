/** The step of `POST /profiles`: adds the reported facts to the states that they concern. */

import type { NewId } from '../../platform/ids.ts'
import { type Row, rowFor } from '../../platform/postgres/rows.ts'
import { type ChangedState, type Step } from '../../platform/states/index.ts'
import type { DevicesParameters } from '../behavior/index.ts'
import type { ReputationStore } from '../reputation/index.ts'
import { profileRecord } from './record.ts'
import { riskChangedRow } from './risk-changed.ts'
import { knownRisk, type RiskSubject, riskReads } from './risk-reads.ts'
import type { ProfileRequest, UpsertedProfile } from './schema.ts'
import type { DeviceState, IpState, ProfileState } from './state.ts'
import { profileWriter } from './store.ts'
import { type Upserted, upsertProfile } from './upsert.ts'

export type ProfileKeys = { profile: string; device: string | undefined; ip: string | undefined }

export type ProfileJob = RiskSubject & {
  request: ProfileRequest
  keys: ProfileKeys
  received_at: Date
  devices: DevicesParameters
}

export type ProfileStepDependencies = {
  newId: NewId
  reputation: Pick<ReputationStore, 'judge' | 'reader'>
}

export function profileStep(
  { newId, reputation }: ProfileStepDependencies,
  job: ProfileJob,
): Step<UpsertedProfile> {
  const { keys, request, received_at } = job
  return {
    org_id: job.org_id,
    keys: [keys.profile, keys.device, keys.ip].filter((id) => id !== undefined),
    reads: riskReads(reputation, job),
    apply: (states, answers) => {
      const at = <State>(id: string | undefined) =>
        (id === undefined ? undefined : states.get(id)) as State | undefined
      const upserted = upsertProfile(
        {
          profile: at<ProfileState>(keys.profile),
          device: at<DeviceState>(keys.device),
          ip: at<IpState>(keys.ip),
        },
        { ...factsOf(job), ...knownRisk(reputation, job, answers, received_at) },
        received_at.getTime(),
        job.devices,
      )
      const changed = (['profile', 'device', 'ip'] as const).flatMap((kind): ChangedState[] => {
        const [id, value] = [keys[kind], upserted[kind]]
        if (id === undefined || value === undefined || value === states.get(id)) return []
        return [{ id, kind, value, updated_at: received_at }]
      })
      const { is_new, device_linked, device_anomaly } = upserted
      const name = { id: keys.profile, external_id: request.external_id }
      const profile = profileRecord(name, upserted.profile, received_at)
      return {
        states: changed,
        rows: rowsOf(newId, job, upserted, profile),
        result: { profile, is_new, device_linked, device_anomaly },
      }
    },
  }
}

function factsOf({ keys, request }: ProfileJob) {
  const { profile_type, fingerprint_hash, ip_hash, latitude, longitude } = request
  const isPlaced = latitude !== undefined && longitude !== undefined
  return {
    profile_id: keys.profile,
    profile_type,
    fingerprint_hash,
    ip_hash,
    country_code: request.country_code?.toUpperCase(),
    latitude: isPlaced ? latitude : undefined,
    longitude: isPlaced ? longitude : undefined,
  }
}

function rowsOf(
  newId: NewId,
  { org_id, mode, keys, request, received_at }: ProfileJob,
  { is_new, previous_risk_level }: Upserted,
  profile: UpsertedProfile['profile'],
): Row[] {
  const rows: Row[] = []
  if (is_new) {
    const { external_id } = request
    const row = { org_id, id: keys.profile, mode, external_id, created_at: received_at }
    rows.push(rowFor(profileWriter, row))
  }
  if (previous_risk_level !== undefined) {
    const changed = { profile, previous_risk_level }
    rows.push(riskChangedRow(newId, { org_id, mode }, changed, received_at))
  }
  return rows
}
