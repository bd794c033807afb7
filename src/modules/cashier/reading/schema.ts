/** What people read of cashiers: answers of the console, times as ISO 8601. */
import type { Decision } from '../../../platform/postgres/tables/reviews.ts'
import type { RiskLevel } from '../../risk/index.ts'
import type { CashierFraud, CashierRequest } from '../schema.ts'

export type CashierActionType = CashierRequest['action_type']

/** What was looked at: actions that were received and performed since. */
export type CashierPeriod = {
  since: string
  until: string
  /** Actions of the organisation, whatever their mode, that were read. */
  examined: number
  /** False: there were more than are read at once, and `since` is when the oldest of them came. */
  is_complete: boolean
}

/** Where the cashiers are who are compared with each other. */
export type CashierStore = {
  /** As scoring keeps it, such as `location main street` or `device pos-3`. */
  location: string
  cashiers: number
  actions: number
  flagged: number
  highest_score: number
  last_performed_at: string
}

export type CashierStores = { stores: CashierStore[]; period: CashierPeriod }

/** How often one cashier did it against the others, in one of the windows of the scoring. */
export type PeerComparison = {
  window: 'shift' | 'week' | 'month'
  half_life_hours: number
  /** Decayed, as are the transactions. */
  count: number
  transactions: number
  /** 0-1, of the transactions. */
  share: number
  /** What is to be expected of this cashier by the peers, 0-1. */
  peers_share: number
  peers: number
  /** -log10 of the probability of so many or more. */
  surprise: number
  /** 0-100 */
  strength: number
}

/** What the signal of the action type would say of the cashier by now. */
export type PeerScore = {
  role: 'till' | 'desk'
  strength: number
  finding: string | null
  sentence: string | null
  comparisons: PeerComparison[]
}

export type PeerRow = {
  cashier_id: string
  cashier_external_id: string
  /** Of the action type in question, as are flags, levels and amounts. */
  count: number
  flagged: number
  highest_score: number | null
  levels: Record<RiskLevel, number>
  amount_sum_cents: number
  amount_median_cents: number | null
  amount_largest_cents: number | null
  /** Of all types but shift events. */
  actions: number
  active_days: number
  per_day: number
  /** Null where no shift events are sent. */
  shifts: number | null
  shift_hours: number | null
  per_shift: number | null
  per_hour: number | null
  last_performed_at: string | null
  /** Null for what scoring compares with nobody's, and for cashiers who are no longer remembered. */
  score: PeerScore | null
}

/** Medians over the cashiers that are shown; null where nobody has such a number. */
export type PeerMedians = Record<
  'count' | 'per_day' | 'per_shift' | 'per_hour' | 'amount_sum_cents' | 'amount_median_cents',
  number | null
>

export type CashierPeers = {
  location: string
  action_type: CashierActionType
  /** What scoring counts together with it. */
  counted_with: CashierActionType[]
  /** ISO 4217, of the sales there; null while unknown. */
  currency: string | null
  cashiers: PeerRow[]
  medians: PeerMedians
  period: CashierPeriod
}

export type CashierActionItem = {
  id: string
  cashier_id: string
  cashier_external_id: string
  action_type: CashierActionType
  amount_cents: number | null
  edge_device_id: string | null
  order_external_id: string | null
  location: string
  risk_score: number
  risk_level: RiskLevel
  flags: CashierFraud['flags']
  performed_at: string
  received_at: string
}

export type CashierActions = { actions: CashierActionItem[]; next_cursor: string | null }

export type CashierShift = {
  /** Null: it began before what was read. */
  started_at: string | null
  /** Null: it is still open. */
  ended_at: string | null
  /** `expired`: nobody ended it. */
  how: 'ended' | 'expired' | 'open'
}

/** One cashier between two times. */
export type CashierTimeline = {
  cashier_id: string
  cashier_external_id: string
  shifts: CashierShift[]
  /** Oldest first. */
  actions: CashierActionItem[]
  /** False: there were more than are shown. */
  is_complete: boolean
}

export type CashierQuarter = {
  /** Beginning of a quarter of an hour. */
  at: string
  actions: number
  flagged: number
  highest_score: number
}

/** One cashier in the last days. */
export type CashierSummary = {
  cashier_id: string
  cashier_external_id: string
  /** Of the newest action. */
  location: string
  actions: number
  flagged: number
  /** Those in which something was done, oldest first. */
  quarters: CashierQuarter[]
  is_complete: boolean
}

export type ExplainedCashierSignal = {
  signal: keyof CashierFraud['signals']
  /** 0-100 */
  strength: number
  /** How much of the score it can make on its own, 0-1. */
  weight: number
  /** Part of the score that it made, 0-1. */
  share: number
  finding: string | null
  sentence: string | null
  numbers: Readonly<Record<string, number | string>>
}

export type ExplainedCashierAction = {
  action: CashierActionItem & {
    mode: 'live' | 'test'
    reason: string | null
    /** 0-23, by the clock on the wall */
    local_hour: number
  }
  /** Those that made most of the score first. */
  signals: ExplainedCashierSignal[]
  /** Null when none was named. */
  order: {
    external_order_id: string
    /** Null when it is not known here. */
    id: string | null
    /** As it was when the action was judged; null when it was not known then. */
    matched: {
      cashier: 'same' | 'other' | 'unknown'
      amount_cents: number
      currency: string
      refunded_cents: number
      is_cash: boolean
      ordered_at: string
    } | null
  } | null
  /** Null when it is not in the queue. */
  review_id: string | null
  /** In the order in which they were made. */
  decisions: { decision: Decision; decided_at: string; decided_by: string; note: string | null }[]
  /** E-mail addresses of those who decided, by their id. */
  people: Record<string, string>
}
