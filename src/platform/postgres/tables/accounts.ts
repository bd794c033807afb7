import type { Generated } from 'kysely'

export const PLANS = ['free', 'starter', 'business'] as const
export type Plan = (typeof PLANS)[number]

export const ROLES = ['owner', 'admin', 'member'] as const
export type Role = (typeof ROLES)[number]

export const KEY_TYPES = ['live_secret', 'test_secret', 'live_public', 'test_public'] as const
export type KeyType = (typeof KEY_TYPES)[number]

export type AccountTables = {
  organizations: { id: string; name: string; plan: Plan; created_at: Generated<Date> }
  users: { id: string; email: string; password_hash: string; created_at: Generated<Date> }
  memberships: { org_id: string; user_id: string; role: Role; created_at: Generated<Date> }
  sessions: { id: string; user_id: string; expires_at: Date; created_at: Generated<Date> }
  refresh_tokens: {
    token_hash: Buffer
    session_id: string
    used_at: Date | null
    expires_at: Date
    created_at: Generated<Date>
  }
  api_keys: {
    id: string
    org_id: string
    type: KeyType
    key_hash: Buffer
    key_hint: string
    created_at: Generated<Date>
    revoked_at: Date | null
    replaced_by: string | null
  }
}
