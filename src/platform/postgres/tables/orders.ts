import type { Mode } from './platform.ts'

export type OrderTables = {
  states: {
    org_id: string
    id: string
    kind: string
    version: number
    made_from: number
    state: object
    updated_at: Date
  }
  profiles: {
    org_id: string
    id: string
    mode: Mode
    external_id: string
    created_at: Date
  }
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
  device_check_risks: {
    org_id: string
    device_id: string
    risk_score: number
    checked_at: Date
  }
}
