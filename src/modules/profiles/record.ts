/** Builds the profile record of the API from the state (specification, "Profile record"). */
import { riskOf } from './risk.ts'
import type { ProfileRecord } from './schema.ts'
import type { ProfileState } from './state.ts'

export type ProfileName = { id: string; external_id: string }

export function profileRecord(name: ProfileName, state: ProfileState, now: Date): ProfileRecord {
  const { risk_score, risk_level } = riskOf(state, now.getTime())
  return {
    ...name,
    profile_type: state.profile_type,
    status: 'active',
    risk_score,
    risk_level,
    device_count: state.devices.count,
    total_orders: state.total_orders,
  }
}
