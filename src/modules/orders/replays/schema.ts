/** Replays of stored orders with drafted rules, and their results. */

import type { Mode } from '../../../platform/owner.ts'
import type { CustomRule } from '../../custom-rules/index.ts'
import type { RuleOverrides } from '../scoring/parameters.ts'
import type { ReplayState } from '../tables.ts'

/** The counts of one kind of subjects. */
export type Compared<Example> = {
  flagged_then: number
  flagged_now: number
  /** Subjects that both or neither of the rules flag for review. */
  same_flag: number
  same_score: number
  newly_flagged: number
  no_longer_flagged: number
  /** Examples with the largest change of the score. */
  newly_flagged_examples: Example[]
  no_longer_flagged_examples: Example[]
  decisions: ReplayDecisions
  /** Amounts of what is flagged, one member for each currency. Those without a known currency are left out. */
  amounts: AmountsByCurrency[]
}

/** Sums in minor units of the currency. */
export type AmountsByCurrency = {
  /** ISO 4217 */
  currency: string
  flagged_then_cents: number
  flagged_now_cents: number
  /** Of confirmed frauds, which the flags have caught. */
  frauds_flagged_then_cents: number
  frauds_flagged_now_cents: number
  /** Reviewers have found these to be legitimate. */
  legitimate_flagged_then_cents: number
  legitimate_flagged_now_cents: number
}

export type Replay = Compared<ReplayExample> & {
  /** Number of compared orders; earlier ones only build up the states. */
  orders: number
  /** Null if neither the active nor the tried rules have a custom rule for checks. */
  checks: SubjectReplay | null
  cashier_actions: SubjectReplay | null
}

/** Checks or cashier actions, which are scored again from their stored signals and facts. */
export type SubjectReplay = Compared<SubjectExample> & { compared: number }

export type SubjectExample = {
  id: string
  /** Id by which the organization knows it; empty without one. */
  external_id: string
  score_then: number
  score_now: number
  /** Why it is flagged now, or why it was flagged when it no longer is. */
  reason: string
}

export type ReplayExample = {
  org_id: string
  order_id: string
  external_order_id: string
  score_then: number
  score_now: number
  /** Why the order is flagged now, or why it was flagged when it no longer is. */
  reason: string
}

/** Counts of what was reviewed by the latest decision. */
export type ReplayDecisions = {
  confirmed_fraud: number
  legitimate: number
  /** Confirmed frauds and legitimate subjects that are flagged for review. */
  frauds_flagged_then: number
  frauds_flagged_now: number
  legitimate_flagged_then: number
  legitimate_flagged_now: number
  /** Confirmed frauds that only the new rules flag, and ones that only the old rules flag. */
  frauds_gained: number
  frauds_lost: number
}

/** Rates are 0-1, and null when there is nothing to divide by. */
export type ComparedResult<Example> = Omit<Compared<Example>, 'decisions'> & {
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

export type SubjectResult = ComparedResult<SubjectExample> & { compared: number }

export type ReplayResult = ComparedResult<ReplayExample> & {
  orders: number
  checks: SubjectResult | null
  cashier_actions: SubjectResult | null
}

/** A replay that was started in the rules lab. */
export type RulesReplay = {
  id: string
  /** Mode of the replayed orders; results for test orders say nothing about live ones. */
  mode: Mode
  state: ReplayState
  overrides: RuleOverrides
  custom_rules: CustomRule[]
  /** Orders that arrived at or after this time and before `to` are compared. */
  from: string
  to: string
  progress: ReplayProgressView
  /** Set once the replay is done. */
  result: ReplayResult | null
  /** Why the replay failed. */
  fault: string | null
  created_by: string
  created_by_email: string | null
  created_at: string
  finished_at: string | null
}

/** `of` is null until it is known; `until` is the arrival time of the last order read. */
export type ReplayProgressView = { orders: number; of: number | null; until: string | null }

export type RulesReplayPage = { replays: RulesReplay[]; next_cursor: string | null }
