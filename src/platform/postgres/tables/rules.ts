import type { Generated } from 'kysely'
import type { Mode } from './platform.ts'

export const REPLAY_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const
export type ReplayState = (typeof REPLAY_STATES)[number]

export type RulesTables = {
  order_rules: {
    org_id: string
    mode: Mode
    version: number
    overrides: unknown
    note: string | null
    rolled_back_to: number | null
    applied_at: Date
    applied_by: string
  }
  rules_replays: {
    org_id: string
    id: string
    mode: Mode
    state: ReplayState
    overrides: unknown
    from_at: Date
    to_at: Date
    orders_read: Generated<number>
    orders_total: number | null
    read_until: Date | null
    result: unknown
    fault: string | null
    attempts: Generated<number>
    lease_id: string | null
    leased_until: Date | null
    created_by: string
    created_at: Date
    finished_at: Date | null
  }
}
