import type { Generated, JSONColumnType } from 'kysely'

export const PLANS = ['free', 'starter', 'business'] as const
export type Plan = (typeof PLANS)[number]

export const ROLES = ['owner', 'admin', 'member'] as const
export type Role = (typeof ROLES)[number]

/** `own`: that of the organization. */
export const REQUIRED_PROVIDERS = ['own', 'installation'] as const
export type RequiredProvider = (typeof REQUIRED_PROVIDERS)[number]

/** The roles of groups that a provider names. */
export type RoleMapping = Record<string, Role>

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
    /** The provider that sessions of members must come from; null for any sign-in. */
    required_provider: Generated<RequiredProvider | null>
    /** The owner who may sign in without the provider. */
    break_glass_user_id: Generated<string | null>
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
    /** The only organization that it may be used for. */
    org_id: Generated<string | null>
    /** When the user last proved a second factor in the session. */
    factor_at: Generated<Date | null>
    /** When the user last signed in at a provider in the session; null for other sessions. */
    provider_at: Generated<Date | null>
    /** The organization of that provider, which is all that the session reaches. */
    provider_org_id: Generated<string | null>
    sign_out_url: Generated<string | null>
    /** Identifies the session at the provider. */
    provider_sid_hash: Generated<Buffer | null>
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
  device_sign_ins: {
    device_hash: Buffer
    user_hash: Buffer
    program: string
    address: string
    user_id: Generated<string | null>
    org_id: Generated<string | null>
    days: Generated<number | null>
    is_proved: Generated<boolean>
    provider_at: Generated<Date | null>
    provider_org_id: Generated<string | null>
    is_denied: Generated<boolean>
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
  sign_in_providers: {
    org_id: string
    issuer: string
    client_id: string
    sealed: string
    scopes: string
    email_domains: string[]
    role_claim: string | null
    roles: JSONColumnType<RoleMapping>
    default_role: Role | null
    trusts_factor: boolean
    tested_at: Date | null
    updated_at: Date
  }
  user_identities: {
    org_id: string | null
    issuer: string
    subject: string
    user_id: string
    created_at: Date
  }
  sign_in_flows: {
    token_hash: Buffer
    org_id: string | null
    purpose: 'sign_in' | 'prove' | 'test'
    user_id: string | null
    session_id: string | null
    next: string
    provider_at: Date | null
    created_at: Date
    expires_at: Date
  }
  sign_in_logout_tokens: { token_hash: Buffer; expires_at: Date }
  sign_in_domains: { domain: string; org_id: string }
}
