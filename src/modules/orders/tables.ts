import type { Generated } from 'kysely'
import type { Mode } from '../../platform/owner.ts'

export const REPLAY_STATES = ['queued', 'running', 'done', 'failed', 'cancelled'] as const
export type ReplayState = (typeof REPLAY_STATES)[number]

export type OrderTables = {
  orders: {
    org_id: string
    id: string
    mode: Mode
    seq: number
    external_order_id: string
    profile_id: string | null
    risk_score: number
    request: unknown
    assessment: unknown
    ordered_at: Date
    created_at: Date
  }
  order_rules: {
    org_id: string
    mode: Mode
    version: number
    overrides: unknown
    custom_rules: unknown
    note: string | null
    rolled_back_to: number | null
    applied_at: Date
    applied_by: string
  }
  rules_learning: {
    org_id: string
    mode: Mode
    automatic: boolean
    result: unknown
    learned_at: Date | null
  }
  rules_replays: {
    org_id: string
    id: string
    mode: Mode
    state: ReplayState
    overrides: unknown
    custom_rules: unknown
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
