/** Responses of the routes of cases. */
import type { RiskLevel } from '../../risk/index.ts'
import type { ReviewPeople } from '../schema.ts'
import type { CaseEventKind, Decision, Outcome, ReasonCode, ReviewSubjectName } from '../tables.ts'
import type { CauseKind } from './cause.ts'

/** `waiting` ends at `waits_until`; `in_work` has an assignee. */
export const CASE_STATES = ['open', 'in_work', 'waiting', 'closed'] as const
export type CaseState = (typeof CASE_STATES)[number]

/** `active` is everything that is not closed. */
export const CASE_FILTERS = ['active', ...CASE_STATES] as const
export const CASE_ORDERS = ['amount', 'score', 'newest', 'oldest'] as const
export type CaseOrder = (typeof CASE_ORDERS)[number]

export type CaseRecord = {
  id: string
  mode: 'live' | 'test'
  state: CaseState
  /** Common to all items. */
  cause: { kind: CauseKind; value: string }
  risk_score: number
  risk_level: RiskLevel
  /** Sum of the undecided items in `currency`. */
  amount_cents: number
  currency: string | null
  /** Whether items have other currencies as well, which the sum lacks. */
  is_mixed: boolean
  /** The customer of the first item. */
  customer: string | null
  country: string | null
  items: number
  open_items: number
  frauds: number
  first_at: string
  last_at: string
  /** Time by which the case should be closed. */
  due_at: string
  is_overdue: boolean
  assignee_id: string | null
  waits_until: string | null
  is_escalated: boolean
  closed_at: string | null
  closed_by: string | null
  outcome: Outcome | null
  reason_code: string | null
  version: number
}

export type CaseList = { cases: CaseRecord[]; next_cursor: string | null; people: ReviewPeople }

export type CaseItem = {
  id: string
  subject: ReviewSubjectName
  subject_id: string
  external_id: string
  risk_score: number
  risk_level: RiskLevel
  reason: string
  flags: string[]
  created_at: string
  /** Null if the review of the same order has the amount, or if there is none. */
  amount_cents: number | null
  currency: string | null
  customer: string | null
  country: string | null
  decision: Decision | null
  decided_at: string | null
  decided_by: string | null
  note: string | null
}

/** Something that items of the case have in common with each other, or with items of other cases. */
export type CaseLink = {
  kind: CauseKind
  value: string
  /** Flagged orders and actions of this case that have it. */
  items: number
  /** The same within the organization, and what was decided about them; counted up to a limit. */
  all_items: number
  frauds: number
  customers: number
}

type LinkName = Pick<CaseLink, 'kind' | 'value'>
/** Two links that occur together in this many items of the case. */
export type CaseEdge = { from: LinkName; to: LinkName; items: number }

export type CaseEvent = {
  id: string
  at: string
  actor: string | null
  kind: CaseEventKind
  details: Record<string, unknown>
}

export type CaseDetails = {
  case: CaseRecord
  /** Newest first, limited. */
  items: CaseItem[]
  links: CaseLink[]
  edges: CaseEdge[]
  /** Oldest first. */
  events: CaseEvent[]
  people: ReviewPeople
}

export type CaseCounts = Record<
  Exclude<CaseState, 'closed'> | 'mine' | 'escalated' | 'overdue',
  number
> & {
  items: number
  amounts: { currency: string; amount_cents: number }[]
  /** False when only the newest were counted. */
  is_complete: boolean
}

export type CaseSettings = { sla_hours: number; reason_codes: ReasonCode[] }

/** `refused` items were decided by another member in the meantime, or are no longer stored. */
export type DecidedCase = {
  case: CaseRecord
  decided: number
  refused: { review_id: string; reason: 'overtaken' | 'not_found' }[]
}
