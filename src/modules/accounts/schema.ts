/** What the console reads of organisations, members, invitations and sessions. Times are ISO 8601. */
import type { Plan, Role } from '../../platform/postgres/tables/accounts.ts'

export type OrganizationDetails = { id: string; name: string; plan: Plan; created_at: string }

export type Member = { user_id: string; email: string; role: Role; created_at: Date }

/** Newest first. `invited_by` is an e-mail; null when the user is gone. */
export type Invitation = {
  id: string
  email: string
  role: Role
  invited_by: string | null
  expires_at: string
  created_at: string
}

/** The only time that the token is seen. */
export type CreatedInvitation = { id: string; email: string; token: string; expires_at: string }

/** What the one who has the link is shown before they accept. */
export type ShownInvitation = {
  organization: string
  email: string
  role: Role
  expires_at: string
  /** Whether to sign in with this e-mail, or to choose a password. */
  has_account: boolean
}

export type OwnSession = {
  id: string
  created_at: string
  /** When it was last continued, which is every few minutes while it is used. */
  last_seen_at: string
  user_agent: string | null
  /** The one that asks. */
  is_current: boolean
}
