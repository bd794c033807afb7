import type { Generated } from 'kysely'

export const PLANS = ['free', 'starter', 'business'] as const
export type Plan = (typeof PLANS)[number]

export const ROLES = ['owner', 'admin', 'member'] as const
export type Role = (typeof ROLES)[number]

export type AccountTables = {
  organizations: {
    id: string
    name: string
    plan: Plan
    created_at: Generated<Date>
    /** The organization of the operator that it descends from; null for those of the operator. */
    root_id: Generated<string | null>
    /** Name of the cell that holds its data. */
    cell: Generated<string>
    requires_second_factor: Generated<boolean>
    /** Until then, requests that may write wait for the end of a move to another cell. */
    paused_until: Generated<Date | null>
  }
  users: {
    id: string
    email: string
    password_hash: string
    created_at: Generated<Date>
    email_proved_at: Date | null
  }
  user_second_factors: {
    user_id: string
    secret: string
    confirmed_at: Date | null
    last_step: Generated<number>
    failures: Generated<number>
    failures_since: Date | null
    created_at: Date
  }
  user_passkeys: {
    id: string
    user_id: string
    public_key: Buffer
    counter: number
    transports: string[]
    name: string
    created_at: Date
    last_used_at: Generated<Date | null>
  }
  passkey_challenges: { challenge: string; user_id: string | null; expires_at: Date }
  user_recovery_codes: { user_id: string; code_hash: Buffer }
  memberships: { org_id: string; user_id: string; role: Role; created_at: Generated<Date> }
  sessions: {
    id: string
    user_id: string
    expires_at: Date
    created_at: Generated<Date>
    last_seen_at: Date | null
    user_agent: string | null
    address: Generated<string | null>
    browser_id: Generated<string | null>
    /** When the user last proved a second factor in the session. */
    factor_at: Generated<Date | null>
  }
  account_mails: {
    id: string
    kind: string
    recipient: string
    details: Record<string, string>
    subject_id: string | null
    due_at: Generated<Date>
    attempts: Generated<number>
    lease_id: string | null
    leased_until: Date | null
    expires_at: Date
  }
  password_resets: {
    token_hash: Buffer
    user_id: string
    org_id: string | null
    created_at: Date
    expires_at: Date
  }
  email_changes: {
    user_id: string
    email: string
    old_token_hash: Buffer
    new_token_hash: Buffer
    old_confirmed_at: Date | null
    new_confirmed_at: Date | null
    created_at: Date
    expires_at: Date
  }
  known_browsers: { user_id: string; browser_id: string; last_seen_at: Date }
  refresh_tokens: {
    token_hash: Buffer
    generation: Generated<number>
    session_id: string
    used_at: Date | null
    expires_at: Date
    created_at: Generated<Date>
  }
  invitations: {
    id: string
    org_id: string
    email: string
    role: Role
    token_hash: Buffer
    /** Whether its link was sent to the address and shown to no one. */
    is_mailed: boolean
    invited_by: string | null
    expires_at: Date
    created_at: Date
  }
}
