/** Converts rows of the audit log to the records of the API. */
import type { AuditAction, AuditRow } from './entry.ts'
import type { AuditEntry } from './schema.ts'

export function toAuditEntry(row: AuditRow): AuditEntry {
  const { org_id: _org, device_id: _device, created_at, ...entry } = row
  // `auditEntry` builds every row, and accepts no other action.
  const action = row.action as AuditAction
  return { ...entry, action, created_at: created_at.toISOString() }
}
