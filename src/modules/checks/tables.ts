import type { Mode } from '../../platform/owner.ts'

export type CheckTables = {
  checks: {
    org_id: string
    id: string
    mode: Mode
    risk_score: number
    request: unknown
    result: unknown
    evidence: unknown
    created_at: Date
  }
  check_event_ids: {
    org_id: string
    mode: Mode
    event_id: string
    check_id: string
    payload_hash: Buffer
  }
  velocity: {
    org_id: string
    key_hash: string
    count_5m: number
    count_1h: number
    count_1d: number
    count_7d: number
    last_at: Date
    seen_with: number[]
  }
}
