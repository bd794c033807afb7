import type { RiskLevel } from '../risk/index.ts'
import type { ReviewRow } from './review-row.ts'
import type { Decision, ReviewSubjectName } from './tables.ts'

/** Numbers of open reviews and outcomes of recent decisions. */
export type ReviewCounts = {
  open: Record<ReviewSubjectName, number> & {
    /** False when only the newest were counted. */
    is_complete: boolean
  }
  /** Current decisions of the last days by subject. */
  decided: Record<'order' | 'cashier_action', Record<Decision, number>> & {
    days: number
    /** False when only the newest were counted. */
    is_complete: boolean
  }
}

/** E-mail addresses of members by `decided_by`; decisions from the command line have none. */
export type ReviewPeople = Record<string, string>

/** Ids of the adjacent reviews in a list; null at its ends. */
export type ReviewNeighbors = { previous_id: string | null; next_id: string | null }

/** `subject_id` is the id of the cashier action or, also for an alert, of the order. */
export type ReviewItem = Omit<ReviewRow, 'org_id' | 'created_at' | 'decided_at'> & {
  risk_level: RiskLevel
  created_at: string
  decided_at: string | null
}

export type ReviewList = {
  reviews: ReviewItem[]
  next_cursor: string | null
  people: ReviewPeople
}

export type ReviewDecision = {
  decision: Decision
  decided_at: string
  decided_by: string
  note: string | null
}

export type ReviewCase = {
  review: ReviewItem
  /** The order or action with the explanation of its score; null after retention deleted it. */
  record: Record<string, unknown> | null
  /** Oldest first. */
  decisions: ReviewDecision[]
  people: ReviewPeople
}

export type DecidedReview = { review: ReviewItem; changed: boolean }
