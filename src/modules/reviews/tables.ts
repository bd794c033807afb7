import type { Generated } from 'kysely'
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
  }
}
