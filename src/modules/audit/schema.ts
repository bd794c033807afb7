/** Responses of the console's audit log. */

/** `action` is `subject.verb`; `target` is the display name of the affected object. */
export type AuditEntry = {
  id: string
  at: string
  actor_user_id: string | null
  /** The current e-mail; null for actions of the service itself, and for deleted users. */
  actor_email: string | null
  action: string
  target: string | null
  details: Record<string, unknown>
}

export type AuditPage = { entries: AuditEntry[]; next_cursor: string | null }
