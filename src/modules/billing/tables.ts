import type { Generated } from 'kysely'
import type { Mode, Owner } from '../../platform/owner.ts'

export type LedgerAccountKind = 'wallet' | 'grants' | 'revenue'

export type BillingTables = {
  usage_events: {
    org_id: string
    id: string
    mode: Mode
    meter: string
    quantity: number
    cost_units: number
    source_id: string
    /** All priced items, if the row prices several. */
    source_ids: Generated<string[] | null>
    /** The API key that caused it; null without one. */
    key_id: Generated<string | null>
    occurred_at: Date
    transfer_id: string | null
  }
  /** Without a row, the low balance is what was used in the last seven days. */
  credit_settings: { org_id: string; low_balance_units: number }
  ledger_accounts: { org_id: string; kind: LedgerAccountKind; balance_units: Generated<number> }
  ledger_transfers: {
    org_id: string
    id: string
    debit_account: LedgerAccountKind
    credit_account: LedgerAccountKind
    amount_units: number
    reason: string
    idempotency_key: string
    created_at: Date
  }
  ledger_usage: {
    org_id: string
    transfer_id: string
    meter: string
    quantity: number
    cost_units: number
    /** The oldest usage of this part; null in parts of an earlier version. */
    first_usage_id: Generated<string | null>
  }
  usage_months: {
    org_id: string
    mode: Mode
    meter: string
    /** First day of the month in UTC, `YYYY-MM-DD`. */
    month: string
    quantity: number
    cost_units: number
  }
}

/** One priced item; `source_id` is the check, order or log batch. */
export type UsageRow = Omit<
  BillingTables['usage_events'],
  'transfer_id' | 'source_ids' | 'key_id'
> & { key_id?: string | undefined }

/** The owner of what is requested, and the API key of the request; requests of the console have none. */
export type Payer = Owner & { key_id?: string | undefined }
