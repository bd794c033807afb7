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
}
