import type { Generated } from 'kysely'
import type { Scope } from './scopes.ts'

export const KEY_TYPES = ['live_secret', 'test_secret', 'live_public', 'test_public'] as const
export type KeyType = (typeof KEY_TYPES)[number]

export type KeyTables = {
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
    name: Generated<string>
    note: Generated<string>
    scopes: Scope[] | null
    networks: string[] | null
    expires_at: Date | null
    last_used_at: Date | null
    last_used_address: string | null
    last_used_operation: string | null
  }
}
