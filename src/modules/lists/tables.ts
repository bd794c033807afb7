import type { Mode } from '../../platform/owner.ts'
import type { ListKind, ListName } from '../risk/index.ts'

export type ListTables = {
  list_entries: {
    org_id: string
    mode: Mode
    id: string
    list: ListName
    kind: ListKind
    key_hash: string
    shown: string
    reason: string | null
    created_by: string
    created_at: Date
    expires_at: Date | null
  }
  list_versions: { org_id: string; mode: Mode; version: string }
}
