import type { JSONColumnType } from 'kysely'

export type AuditTables = {
  audit_log: {
    org_id: string
    id: string
    actor_user_id: string | null
    action: string
    target: string | null
    details: JSONColumnType<Record<string, unknown>>
    at: Date
  }
}
