import type { Generated } from 'kysely'
import type { Mode } from '../owner.ts'

export type SpoolTables = {
  analytics_spool: {
    org_id: string
    id: string
    mode: Mode
    target: string
    entries: number
    payload: Buffer
    bytes: number
    created_at: Generated<Date>
    flush_id: string | null
    lease_id: string | null
    leased_until: Date | null
    attempts: Generated<number>
    refusal: string | null
    flushed_at: Date | null
  }
}
