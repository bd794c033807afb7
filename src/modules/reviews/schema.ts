/** What people read of the review queue: answers of the console. */
import type { Decision, ReviewSubjectName } from '../../platform/postgres/tables/reviews.ts'
import type { RiskLevel } from '../risk/index.ts'

/** How much there is to look at, and how decisions came out. */
export type ReviewCounts = {
  open: Record<ReviewSubjectName, number> & {
    /** False: there are more; the newest were counted. */
    is_complete: boolean
  }
  /** Decisions that hold, of the last days, by what they are about. */
  decided: Record<'order' | 'cashier_action', Record<Decision, number>> & {
    days: number
    /** False: there are more; the newest were counted. */
    is_complete: boolean
  }
}

/** E-mail addresses of those who decided, by `decided_by`; the command line has none. */
export type ReviewPeople = Record<string, string>

/** Ids of the reviews before and after one in a list; null at its ends. */
export type ReviewNeighbours = { previous_id: string | null; next_id: string | null }

/** One in the queue, as it is told. */
export type ReviewItem = {
  id: string
  mode: 'live' | 'test'
  subject: ReviewSubjectName
  /** Of the order (also of an alert) or of the cashier action. */
  subject_id: string
  external_id: string
  risk_score: number
  risk_level: RiskLevel
  flags: string[]
  reason: string
  created_at: string
  decision: Decision | null
  decided_at: string | null
  decided_by: string | null
  note: string | null
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
  /** The order or action with what explains its score; null when it is no longer kept. */
  record: Record<string, unknown> | null
  /** In the order in which they were made. */
  decisions: ReviewDecision[]
  people: ReviewPeople
}

/** Answer to a decision. */
export type DecidedReview = { review: ReviewItem; changed: boolean }
