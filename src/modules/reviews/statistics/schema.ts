/** Response of the statistics about decisions. */
import type { ReviewPeople } from '../schema.ts'
import type { ReviewSubjectName } from '../tables.ts'

export type Amount = { currency: string; amount_cents: number }

export type DecisionCounts = {
  /** Decisions of people about orders and cashier actions, each change counted. */
  decisions: number
  frauds: number
  legitimate: number
  /** Those that changed an earlier decision. */
  changes: number
  /** From the arrival in the queue to the first decision; null without one. */
  median_minutes: number | null
  p90_minutes: number | null
  /** Amounts of flagged orders that people decided as fraud and that still are. */
  saved: Amount[]
  /** Amounts of frauds that were reported later and that were not flagged, or were decided as legitimate. */
  lost: Amount[]
}

/** `week` is its Monday in UTC. */
export type WeekCounts = DecisionCounts & { week: string }
/** `by` is a user id, or `cli`. */
export type AnalystCounts = DecisionCounts & { by: string; overturned: number }

/** Of decided orders or actions with the flag or the rule, the share of frauds. */
export type Precision = { name: string; decided: number; frauds: number; precision: number }

export type ReviewStatistics = {
  from: string
  to: string
  /** False when only the newest decisions of the time were counted. */
  is_complete: boolean
  total: DecisionCounts
  /** Oldest first, also those without decisions. */
  weeks: WeekCounts[]
  analysts: AnalystCounts[]
  signals: (Precision & { subject: Exclude<ReviewSubjectName, 'alert'> })[]
  /** Custom rules that changed the score; those in shadow apart. */
  rules: (Precision & { is_shadow: boolean })[]
  people: ReviewPeople
}
