import type { Mode } from '../../platform/owner.ts'

export type ProfileTables = {
  profiles: {
    org_id: string
    id: string
    mode: Mode
    external_id: string
    created_at: Date
  }
  device_check_risks: {
    org_id: string
    device_id: string
    risk_score: number
    checked_at: Date
  }
  imported_profiles: {
    org_id: string
    line_hash: string
    profile_id: string
    imported_at: Date
  }
}
