import type { Mode } from '../../platform/owner.ts'

export type CashierTables = {
  cashier_actions: {
    org_id: string
    id: string
    mode: Mode
    cashier_id: string
    action_hash: string | null
    order_external_id: string | null
    action_type: string
    amount_cents: number | null
    risk_score: number
    request: unknown
    fraud: unknown
    measurements: unknown
    performed_at: Date
    created_at: Date
  }
}
