/** What the console reads of the audit log. */

/** Newest first. `action` is `subject.verb`; `target` is what it was done to, as people know it. */
export type AuditEntry = {
  id: string
  at: string
  actor_user_id: string | null
  /** As it is now; null for what the service did itself, and for users that are gone. */
  actor_email: string | null
  action: string
  target: string | null
  details: Record<string, unknown>
}

export type AuditPage = { entries: AuditEntry[]; next_cursor: string | null }
