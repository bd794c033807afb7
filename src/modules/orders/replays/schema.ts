/** Replays of stored orders with a draft of the rules, and what comes of one. */
import type { Mode } from '../../../platform/postgres/tables/platform.ts'
import type { ReplayState } from '../../../platform/postgres/tables/rules.ts'
import type { RuleOverrides } from '../rules/schema.ts'

export type Replay = {
  /** Compared; earlier ones only warm up what is remembered. */
  orders: number
  flagged_then: number
  flagged_now: number
  /** Orders that are flagged for review by both or by neither. */
  same_flag: number
  same_score: number
  newly_flagged: number
  no_longer_flagged: number
  /** Those whose score changes most. */
  newly_flagged_examples: ReplayExample[]
  no_longer_flagged_examples: ReplayExample[]
  decisions: ReplayDecisions
}

export type ReplayExample = {
  org_id: string
  order_id: string
  external_order_id: string
  score_then: number
  score_now: number
  /** Why it is flagged now; of one that no longer is, why it was. */
  reason: string
}

/** Of orders about which people decided, by the last decision. */
export type ReplayDecisions = {
  confirmed_fraud: number
  legitimate: number
  /** Confirmed frauds, and legitimate orders, that are flagged for review. */
  frauds_flagged_then: number
  frauds_flagged_now: number
  legitimate_flagged_then: number
  legitimate_flagged_now: number
  /** Confirmed frauds that only the new rules, or only the old ones, flag. */
  frauds_gained: number
  frauds_lost: number
}

/** Shares are 0-1, and null where there is nothing to divide by. */
export type ReplayResult = Omit<Replay, 'decisions'> & {
  flag_rate_then: number | null
  flag_rate_now: number | null
  same_flag_rate: number | null
  same_score_rate: number | null
  decisions: ReplayDecisions & {
    precision_then: number | null
    recall_then: number | null
    precision_now: number | null
    recall_now: number | null
  }
}

/** One that was asked for in the rules lab. */
export type RulesReplay = {
  id: string
  /** Whose orders: a draft that was tried on test orders says nothing of live ones. */
  mode: Mode
  state: ReplayState
  overrides: RuleOverrides
  /** Compared are the orders that arrived from here on, and before `to`. */
  from: string
  to: string
  progress: ReplayProgressShown
  /** Only of one that is done. */
  result: ReplayResult | null
  /** Why it failed. */
  fault: string | null
  created_by: string
  created_by_email: string | null
  created_at: string
  finished_at: string | null
}

/** `of` is null until it is known. `until`: when the last one that was read arrived. */
export type ReplayProgressShown = { orders: number; of: number | null; until: string | null }

export type RulesReplayPage = { replays: RulesReplay[]; next_cursor: string | null }
