import type { Mode } from '../../platform/owner.ts'

export const LISTS = ['allow', 'block', 'watch'] as const
export type ListName = (typeof LISTS)[number]

export const LIST_KINDS = [
  'email',
  'domain',
  'phone',
  'device',
  'ip',
  'network',
  'card',
  'profile',
  'terminal',
  'cashier',
  'country',
] as const
export type ListKind = (typeof LIST_KINDS)[number]

export type ListTables = {
  list_entries: {
    org_id: string
    mode: Mode
    id: string
    list: ListName
    kind: ListKind
    key_hash: string
    shown: string
    reason: string | null
    created_by: string
    created_at: Date
    expires_at: Date | null
  }
  list_versions: { org_id: string; mode: Mode; version: string }
}
