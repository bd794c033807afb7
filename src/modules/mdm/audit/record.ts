/** From the row of an audit entry to the record that clients see. */
import type { AuditAction } from './entry.ts'
import type { AuditEntry } from './schema.ts'
import type { AuditRow } from './store.ts'

export function shownEntry(row: AuditRow): AuditEntry {
  return {
    id: row.id,
    // Nothing else is written (`auditEntry`).
    action: row.action as AuditAction,
    actor_type: row.actor_type,
    actor_id: row.actor_id,
    target_type: row.target_type,
    target_id: row.target_id,
    before: row.before,
    after: row.after,
    created_at: row.created_at.toISOString(),
  }
}
