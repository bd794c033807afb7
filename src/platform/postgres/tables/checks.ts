import type { Mode } from './platform.ts'

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
  lookup_cache: {
    kind: string
    key: string
    value: unknown
    fetched_at: Date
    failure: string | null
    expires_at: Date
  }
  phone_reports: {
    org_id: string
    id: string
    mode: Mode
    phone_hash: string
    check_id: string | null
    report: unknown
    created_at: Date
  }
  reputation: {
    key_hash: string
    org_id: string
    bad: number
    good: number
    updated_at: Date
  }
}
