import type { Generated, JSONColumnType } from 'kysely'
import type { Mode } from '../../platform/owner.ts'

export const REVIEW_SUBJECTS = ['order', 'alert', 'cashier_action'] as const
export type ReviewSubjectName = (typeof REVIEW_SUBJECTS)[number]

export const REVIEW_STATES = ['open', 'decided', 'all'] as const
export type ReviewState = (typeof REVIEW_STATES)[number]

export const REVIEW_ORDERS = ['newest', 'highest'] as const
/** `highest` sorts by risk score, and equal scores by newest first. */
export type ReviewOrder = (typeof REVIEW_ORDERS)[number]

export const DECISIONS = ['confirmed_fraud', 'legitimate'] as const
export type Decision = (typeof DECISIONS)[number]

export const OUTCOMES = ['fraud', 'legitimate', 'mixed', 'unsure'] as const
export type Outcome = (typeof OUTCOMES)[number]

export type CaseEventKind =
  | 'claimed'
  | 'assigned'
  | 'released'
  | 'waiting'
  | 'resumed'
  | 'escalated'
  | 'deescalated'
  | 'decided'
  | 'closed'
  | 'reopened'
  | 'noted'

export type ReasonCode = { code: string; label: string }

export type ReviewTables = {
  reviews: {
    org_id: string
    id: string
    mode: Mode
    subject: ReviewSubjectName
    subject_id: string
    external_id: string
    risk_score: number
    flags: string[]
    reason: string
    created_at: Date
    decision: Decision | null
    decided_at: Date | null
    decided_by: string | null
    note: string | null
    /** Null until the review joins a case, and for reviews that were never flagged. */
    case_id: string | null
    /** Null for an alert if the review of its order has the amount. */
    amount_cents: number | null
    currency: string | null
    customer: string | null
    country: string | null
  }
  review_links: {
    org_id: string
    mode: Mode
    kind: string
    value: string
    subject_id: string
    customer: string | null
  }
  cases: {
    org_id: string
    id: string
    mode: Mode
    cause: string
    is_joinable: boolean
    first_at: Date
    last_at: Date
    customer: string | null
    country: string | null
    currency: string | null
    items: number
    open_items: number
    frauds: number
    risk_score: number
    amount_cents: number
    is_mixed: boolean
    assignee_id: string | null
    assigned_at: Date | null
    waits_until: Date | null
    escalated_at: Date | null
    closed_at: Date | null
    closed_by: string | null
    outcome: Outcome | null
    reason_code: string | null
    version: number
  }
  case_events: {
    org_id: string
    case_id: string
    id: string
    at: Date
    /** User id, `cli`, or null for the service itself. */
    actor: string | null
    kind: CaseEventKind
    details: JSONColumnType<Record<string, unknown>>
  }
  case_settings: {
    org_id: string
    sla_hours: number
    reason_codes: JSONColumnType<ReasonCode[]>
  }
  review_decisions: {
    org_id: string
    subject_id: string
    number: number
    mode: Mode
    subject: Exclude<ReviewSubjectName, 'alert'>
    decision: Decision
    after_seq: number
    position: Generated<number>
    decided_at: Date
    decided_by: string
    note: string | null
    /** `outcome` for what was reported later; null also for decisions of earlier versions. */
    source: 'outcome' | null
    /** This and the rules belong to the order; null for cashier actions and in rows of the previous version. */
    amount_cents: number | null
    currency: string | null
    rules: string[] | null
    shadow_rules: string[] | null
  }
}
