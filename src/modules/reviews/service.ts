/**
 * Use cases of the review queue: list, look into one, decide. A decision labels the order or the
 * cashier action that the review is about; flagged or not, and again when it turns out otherwise.
 */
import type { Clock } from '../../platform/clock.ts'
import { isUuid, type NewId } from '../../platform/ids.ts'
import type { Database } from '../../platform/postgres/db.ts'
import type { Mode } from '../../platform/postgres/tables/platform.ts'
import type { Decision } from '../../platform/postgres/tables/reviews.ts'
import type { Lane } from '../../platform/states/index.ts'
import { type RiskLevel, riskLevel } from '../risk/index.ts'
import { countReviews } from './counts/store.ts'
import { type Decided, decisionStep } from './decide.ts'
import { cursorOf } from './page.ts'
import { findNeighbours, listReviews, type ReviewQuery } from './queue/store.ts'
import type { ReviewCounts, ReviewNeighbours, ReviewPeople } from './schema.ts'
import { type DecisionRow, findReview, listPeople, type ReviewRow, subjectReader } from './store.ts'
import type { ReviewSubject, Scope, Subject } from './subject.ts'

export type Review = ReviewRow & { risk_level: RiskLevel }

export type ReviewPage = { reviews: Review[]; next_cursor: string | null }

export type ReviewDetails = {
  review: Review
  /** The order or action, and the numbers behind its score; null when it is no longer kept. */
  record: object | null
  /** In the order in which they were made. */
  decisions: Pick<DecisionRow, 'decision' | 'decided_at' | 'decided_by' | 'note'>[]
}

/** Which of the reviews are walked, and in which order. */
export type ReviewWalk = Pick<ReviewQuery, 'state' | 'subject' | 'order'>

/** `overtaken`: somebody else has decided it meanwhile. */
export type DecideRefusal = { refused: 'not_found' | 'ambiguous' | 'overtaken' }

export type Reviews = {
  /** A page can be short, or empty, and have a cursor: so far it has looked. */
  list(query: ReviewQuery): Promise<ReviewPage>
  counts(owner: { org_id: string; mode: Mode }): Promise<ReviewCounts>
  /** Who those are who decided. */
  people(orgId: string, ids: readonly (string | null)[]): Promise<ReviewPeople>
  find(orgId: string, reviewId: string): Promise<ReviewDetails | undefined>
  /** Of the same mode. @returns undefined when there is no such review */
  neighbours(
    orgId: string,
    reviewId: string,
    walk: ReviewWalk,
  ): Promise<ReviewNeighbours | undefined>
  /**
   * Deciding the same again changes nothing.
   * @param name id of a review, of an order or of a cashier action, or an `external_order_id`
   * @param decision `expected`: refused when something else holds by now, null stands for nothing
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
  lane: Pick<Lane, 'submit'>
  newId: NewId
  clock: Clock
  subjects: ReviewSubjects
}

type Target = { kind: DecisionRow['subject']; subject: Subject; review_id: string | undefined }

export function createReviews(deps: ReviewsDependencies): Reviews {
  const { db, lane, newId, clock, subjects } = deps

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

    people: async (orgId, ids) => await listPeople(db, orgId, ids),

    neighbours: async (orgId, reviewId, walk) => {
      if (!isUuid(orgId) || !isUuid(reviewId)) return undefined
      const review = await findReview(db, reviewId, { org_id: orgId })
      if (!review) return undefined
      const { mode } = review
      return await findNeighbours(db, { ...walk, org_id: orgId, mode, after: review })
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
      const decisions = (about?.decisions ?? []).map(
        ({ decision, decided_at, decided_by, note }) => ({
          decision,
          decided_at,
          decided_by,
          note,
        }),
      )
      return { review: leveled(review), record: record ?? null, decisions }
    },

    decide: async (name, scope, { decision, by, note, expected }) => {
      if (scope.org_id !== undefined && !isUuid(scope.org_id)) return { refused: 'not_found' }
      // PostgreSQL has no such text, so nothing can have this name.
      if (name.includes('\0')) return { refused: 'not_found' }
      const [target, ...others] = await findTargets(name, scope)
      if (!target) return { refused: 'not_found' }
      if (others.length > 0) return { refused: 'ambiguous' }
      const now = clock.now()
      const labelling = await subjects[target.kind].labelling(target.subject)
      if (!labelling) return { refused: 'not_found' }
      const decided: Decided = await lane.submit(
        decisionStep({
          ...target,
          labelling,
          new_id: newId(now),
          label: { decision, decided_at: now },
          decided_by: by,
          note: note ?? null,
          expected,
        }),
      )
      if (decided.is_overtaken === true) return { refused: 'overtaken' }
      return { review: leveled(decided.review), changed: decided.changed }
    },
  }
}

/** The decision about an alert is one about its order. */
const kindOf = ({ subject }: ReviewRow): DecisionRow['subject'] =>
  subject === 'alert' ? 'order' : subject

const leveled = (row: ReviewRow): Review => ({ ...row, risk_level: riskLevel(row.risk_score) })
