import type { Generated, JSONColumnType } from 'kysely'
import type { Mode } from './platform.ts'

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
  sessions: {
    id: string
    user_id: string
    expires_at: Date
    created_at: Generated<Date>
    last_seen_at: Date | null
    user_agent: string | null
  }
  refresh_tokens: {
    token_hash: Buffer
    generation: Generated<number>
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
    created_by: string | null
  }
  invitations: {
    id: string
    org_id: string
    email: string
    role: Role
    token_hash: Buffer
    invited_by: string | null
    expires_at: Date
    created_at: Date
  }
  audit_log: {
    org_id: string
    id: string
    actor_user_id: string | null
    action: string
    target: string | null
    details: JSONColumnType<Record<string, unknown>>
    at: Date
  }
  request_log: {
    slot: number
    org_id: string
    id: string
    at: Date
    mode: Mode | null
    method: string
    route: string
    path: string
    status: number
    duration_ms: number
    key_id: string | null
    user_id: string | null
    left_out: Generated<number>
  }
}
