/** Responses of the console about cashiers, with times in ISO 8601. */
import type { Decision } from '../../reviews/tables.ts'
import type { ExplainedSignal, RiskLevel, ShownAdjustment } from '../../risk/index.ts'
import type { CashierFraud, CashierRequest } from '../schema.ts'

export type CashierActionType = CashierRequest['action_type']

/** The period that was read: actions received and performed since then. */
export type CashierPeriod = {
  since: string
  until: string
  /** Number of actions of the organization that were read, in both modes. */
  examined: number
  /** False when not all actions were read; `since` is then the time of the oldest one read. */
  is_complete: boolean
}

/** A location whose cashiers are compared with each other. */
export type CashierStore = {
  /** Location as the scoring stores it, such as `location main street` or `device pos-3`. */
  location: string
  cashiers: number
  actions: number
  flagged: number
  highest_score: number
  last_performed_at: string
}

export type CashierStores = { stores: CashierStore[]; period: CashierPeriod }

/** Comparison of one cashier with the others in one window of the scoring. */
export type PeerComparison = {
  window: 'shift' | 'week' | 'month'
  half_life_hours: number
  /** Decayed count; `transactions` is decayed, too. */
  count: number
  transactions: number
  /** Share of the transactions, 0-1. */
  share: number
  /** Share that the peers make one expect, 0-1. */
  peers_share: number
  peers: number
  /** -log10 of the probability of this count or more. */
  surprise: number
  /** 0-100 */
  strength: number
}

/** Present strength of the signal of the action type for the cashier. */
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
  /** Actions of the requested type, as for flags, levels and amounts. */
  count: number
  flagged: number
  highest_score: number | null
  levels: Record<RiskLevel, number>
  amount_sum_cents: number
  amount_median_cents: number | null
  amount_largest_cents: number | null
  /** Actions of all types except shift events. */
  actions: number
  active_days: number
  per_day: number
  /** Null without shift events. */
  shifts: number | null
  shift_hours: number | null
  per_shift: number | null
  per_hour: number | null
  last_performed_at: string | null
  /** Null for a type that is not compared with peers, and for cashiers whose state has expired. */
  score: PeerScore | null
}

/** Medians over the listed cashiers; null when no cashier has a value. */
export type PeerMedians = Record<
  'count' | 'per_day' | 'per_shift' | 'per_hour' | 'amount_sum_cents' | 'amount_median_cents',
  number | null
>

export type CashierPeers = {
  location: string
  action_type: CashierActionType
  /** Action types that the scoring counts together with it. */
  counted_with: CashierActionType[]
  /** ISO 4217 code of the sales at the location; null while unknown. */
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
  /** Null when it began before the period that was read. */
  started_at: string | null
  /** Null while it is open. */
  ended_at: string | null
  /** `expired` when no event ended it. */
  how: 'ended' | 'expired' | 'open'
}

/** Shifts and actions of one cashier in a time range. */
export type CashierTimeline = {
  cashier_id: string
  cashier_external_id: string
  shifts: CashierShift[]
  /** Oldest first. */
  actions: CashierActionItem[]
  /** False when there are more actions than are listed. */
  is_complete: boolean
}

export type CashierQuarter = {
  /** Beginning of the quarter of an hour. */
  at: string
  actions: number
  flagged: number
  highest_score: number
}

/** Recent activity of one cashier. */
export type CashierSummary = {
  cashier_id: string
  cashier_external_id: string
  /** Location of the newest action. */
  location: string
  actions: number
  flagged: number
  /** Quarters of an hour with actions, oldest first. */
  quarters: CashierQuarter[]
  is_complete: boolean
}

export type ExplainedCashierSignal = ExplainedSignal<keyof CashierFraud['signals']>

export type ExplainedCashierAction = {
  action: CashierActionItem & {
    mode: 'live' | 'test'
    reason: string | null
    /** Local hour, 0-23. */
    local_hour: number
  }
  /** Ordered by share, the largest first. */
  signals: ExplainedCashierSignal[]
  /** What rules and lists have changed about the score, in the sequence of the changes. */
  adjustments: ShownAdjustment[]
  /** What rules in shadow would have changed. */
  shadows: ShownAdjustment[]
  /** Null when the action names no order. */
  order: {
    external_order_id: string
    /** Null when the order is unknown. */
    id: string | null
    /** The order as it was when the action was scored; null when it was unknown then. */
    matched: {
      cashier: 'same' | 'other' | 'unknown'
      amount_cents: number
      currency: string
      refunded_cents: number
      is_cash: boolean
      ordered_at: string
    } | null
  } | null
  /** Null when the action is not in the review queue. */
  review_id: string | null
  /** Oldest first. */
  decisions: { decision: Decision; decided_at: string; decided_by: string; note: string | null }[]
  /** E-mail addresses of the members who decided, by their id. */
  people: Record<string, string>
}
