/**
 * The review queue: lists, shows and decides reviews. A decision labels the order or cashier action
 * of the review, even if it was not flagged, and can be replaced later.
 */
import type { Clock } from '../../platform/clock.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Owner } from '../../platform/owner.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Writer } from '../../platform/postgres/rows.ts'
import type { Lane } from '../../platform/states/index.ts'
import { DAY_MS } from '../../platform/time-units.ts'
import type { OpinionChange } from '../reputation/index.ts'
import { type RiskLevel, riskLevel } from '../risk/index.ts'
import { countReviews } from './counts.store.ts'
import { cursorOf } from './cursor.ts'
import { type Decided, decisionStep } from './decision-step.ts'
import { findNeighbors, listReviews, type ReviewQuery } from './queue.store.ts'
import type { ReviewCounts, ReviewNeighbors, ReviewPeople } from './schema.ts'
import type { ReviewStatistics } from './statistics/schema.ts'
import { statisticsOf, weekOf } from './statistics/statistics.ts'
import { DECISIONS_MAX, readDecided } from './statistics/store.ts'
import {
  type DecisionRow,
  findReview,
  listPeople,
  type ReviewRow,
  type ShownDecision,
  shownDecision,
  subjectReader,
} from './store.ts'
import type { ReviewSubject, Scope, Subject } from './subject.ts'
import type { Decision } from './tables.ts'

const WEEK_MS = 7 * DAY_MS

export type Review = ReviewRow & { risk_level: RiskLevel }

export type ReviewPage = { reviews: Review[]; next_cursor: string | null }

export type ReviewDetails = {
  review: Review
  /** The order or action with the numbers behind its score; null after retention deleted it. */
  record: object | null
  /** Oldest first. */
  decisions: ShownDecision[]
}

/** Filter and order of a list of reviews. */
export type ReviewFilters = Pick<ReviewQuery, 'state' | 'subject' | 'order'>

/** `overtaken` means that another member decided in the meantime. */
export type DecideRefusal = { refused: 'not_found' | 'ambiguous' | 'overtaken' }

export type Reviews = {
  /** A page with a cursor can be short or empty when few reviews match. */
  list(query: ReviewQuery): Promise<ReviewPage>
  counts(owner: Owner): Promise<ReviewCounts>
  /** Statistics about the decisions of this week and those before. */
  statistics(owner: Owner, weeks: number): Promise<ReviewStatistics>
  /** Returns the e-mail addresses of members by user id. */
  people(orgId: string, ids: readonly (string | null)[]): Promise<ReviewPeople>
  find(orgId: string, reviewId: string): Promise<ReviewDetails | undefined>
  /** Finds the adjacent reviews of the same mode. @returns undefined for an unknown review */
  neighbors(
    orgId: string,
    reviewId: string,
    filters: ReviewFilters,
  ): Promise<ReviewNeighbors | undefined>
  /**
   * Decides a review; repeating a decision changes nothing.
   * @param name id of a review, an order or a cashier action, or an `external_order_id`
   * @param decision refused when the current decision is not `expected`; null stands for none
   */
  decide(
    name: string,
    scope: Scope,
    decision: {
      decision: Decision
      by: string
      note?: string | undefined
      expected?: Decision | null | undefined
    },
  ): Promise<{ review: Review; changed: boolean } | DecideRefusal>
}

export type ReviewSubjects = Record<DecisionRow['subject'], ReviewSubject>

export type ReviewsDependencies = {
  db: Database
  directory: Database
  lane: Pick<Lane, 'submit'>
  newId: NewId
  clock: Clock
  subjects: ReviewSubjects
  opinions: Writer<OpinionChange>
}

type Target = { kind: DecisionRow['subject']; subject: Subject; review_id: string | undefined }

export function createReviews(deps: ReviewsDependencies): Reviews {
  const { db, directory, lane, newId, clock, subjects } = deps

  const targetOfReview = async (id: string, scope: Scope): Promise<Target | undefined> => {
    const review = await findReview(db, id, scope)
    if (!review) return undefined
    const { org_id, mode, subject_id, external_id, risk_score, flags } = review
    const subject = { org_id, mode, id: subject_id, external_id, risk_score, flags }
    return { kind: kindOf(review), subject, review_id: review.id }
  }

  const findTargets = async (name: string, scope: Scope): Promise<Target[]> => {
    const reviewed = isUuid(name) ? await targetOfReview(name, scope) : undefined
    if (reviewed) return [reviewed]
    const kinds = Object.keys(subjects) as DecisionRow['subject'][]
    const found = await Promise.all(
      kinds.map(async (kind) =>
        (await subjects[kind].find(name, scope)).map((subject) => ({ kind, subject })),
      ),
    )
    return found.flat().map((target) => ({ ...target, review_id: undefined }))
  }

  return {
    list: async (query) => {
      const { rows, examined } = await listReviews(db, { ...query, limit: query.limit + 1 })
      const shown = rows.slice(0, query.limit)
      const last = rows.length > query.limit ? shown.at(-1) : examined
      return { reviews: shown.map(leveled), next_cursor: last ? cursorOf(last) : null }
    },

    counts: async (owner) => await countReviews(db, owner, clock.now()),
    statistics: async (owner, weeks) => {
      const to = clock.now()
      const from = new Date(weekOf(to.getTime()) - (weeks - 1) * WEEK_MS)
      const groups = await readDecided(db, owner, from, to)
      const computed = statisticsOf(groups, from, to)
      const decisions = groups.reduce((sum, { count }) => sum + count, 0)
      const ids = computed.analysts.map(({ by }) => by)
      return {
        from: from.toISOString(),
        to: to.toISOString(),
        is_complete: decisions < DECISIONS_MAX,
        ...computed,
        people: await listPeople(directory, owner.org_id, ids),
      }
    },

    people: async (orgId, ids) => await listPeople(directory, orgId, ids),

    neighbors: async (orgId, reviewId, filters) => {
      if (!isUuid(orgId) || !isUuid(reviewId)) return undefined
      const review = await findReview(db, reviewId, { org_id: orgId })
      if (!review) return undefined
      const { mode } = review
      return await findNeighbors(db, { ...filters, org_id: orgId, mode, after: review })
    },

    find: async (orgId, reviewId) => {
      if (!isUuid(orgId) || !isUuid(reviewId)) return undefined
      const review = await findReview(db, reviewId, { org_id: orgId })
      if (!review) return undefined
      const { subject_id } = review
      const [record, [about]] = await Promise.all([
        subjects[kindOf(review)].describe(orgId, subject_id),
        subjectReader.read(db, [{ org_id: orgId, subject_id }]),
      ])
      const decisions = (about?.decisions ?? []).map(shownDecision)
      return { review: leveled(review), record: record ?? null, decisions }
    },

    decide: async (name, scope, { decision, by, note, expected }) => {
      if (scope.org_id !== undefined && !isUuid(scope.org_id)) return { refused: 'not_found' }
      // PostgreSQL text cannot contain NUL, so nothing has this name.
      if (name.includes('\0')) return { refused: 'not_found' }
      const [target, ...others] = await findTargets(name, scope)
      if (!target) return { refused: 'not_found' }
      if (others.length > 0) return { refused: 'ambiguous' }
      const now = clock.now()
      const labeling = await subjects[target.kind].labeling(target.subject)
      if (!labeling) return { refused: 'not_found' }
      const decided: Decided = await lane.submit(
        decisionStep(
          {
            ...target,
            labeling,
            new_id: newId(now),
            label: { decision, decided_at: now },
            decided_by: by,
            note: note ?? null,
            expected,
          },
          deps.opinions,
        ),
      )
      if (decided.is_overtaken === true) return { refused: 'overtaken' }
      return { review: leveled(decided.review), changed: decided.changed }
    },
  }
}

/** A decision about an alert is a decision about its order. */
const kindOf = ({ subject }: ReviewRow): DecisionRow['subject'] =>
  subject === 'alert' ? 'order' : subject

const leveled = (row: ReviewRow): Review => ({ ...row, risk_level: riskLevel(row.risk_score) })
