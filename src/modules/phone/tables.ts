import type { Mode } from '../../platform/owner.ts'

export type PhoneTables = {
  phone_reports: {
    org_id: string
    id: string
    mode: Mode
    phone_hash: string
    check_id: string | null
    report: unknown
    created_at: Date
  }
}
