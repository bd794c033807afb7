/**
 * The step of a decision: the effect of a former one is taken back, the states learn the new one,
 * the shared reputation hears of it, and every review of the subject is closed with it.
 */
import { type Row, readFrom, rowFor, type Step } from '../../platform/states/index.ts'
import { opinionWriter } from '../reputation/index.ts'
import { opinionOf } from './opinions.ts'
import {
  type DecisionRow,
  decisionWriter,
  labelWriter,
  type ReviewRow,
  reviewWriter,
  type SubjectReviews,
  subjectReader,
} from './store.ts'
import type { Label, Labelling, Subject } from './subject.ts'

export type DecisionRequest = {
  kind: DecisionRow['subject']
  subject: Subject
  labelling: Labelling
  /** The review that is answered; undefined: that of the subject itself. */
  review_id: string | undefined
  /** For the review that is made when there is none. */
  new_id: string
  label: Label
  decided_by: string
  note: string | null
  /** What the one who decides believes to hold, null: nothing; undefined: whatever holds. */
  expected?: Label['decision'] | null | undefined
}

/** `is_overtaken`: something else held than was expected, and nothing was changed. */
export type Decided = { review: ReviewRow; changed: boolean; is_overtaken?: boolean }

export function decisionStep(request: DecisionRequest): Step<Decided> {
  const { subject, labelling } = request
  const { org_id, id: subject_id } = subject
  return {
    org_id,
    keys: labelling.keys,
    identity: `decision ${org_id} ${subject_id}`,
    reads: [readFrom(subjectReader, { org_id, subject_id })],
    apply: (states, [about]) => {
      const { reviews, decisions } = about as SubjectReviews
      const previous = decisions.at(-1)
      const asked = reviewAsked(request, reviews)
      if (asked && previous?.decision === request.label.decision) {
        return { states: [], rows: [], result: { review: asked, changed: false } }
      }
      const { expected } = request
      if (asked && expected !== undefined && (previous?.decision ?? null) !== expected) {
        const result = { review: asked, changed: false, is_overtaken: true }
        return { states: [], rows: [], result }
      }
      const learnt = labelling.learn(states, request.label, previous)
      const review = { ...(asked ?? newReview(request)), ...closingOf(request) }
      return {
        states: learnt.states,
        rows: [
          asked
            ? rowFor(labelWriter, { org_id, subject_id, ...closingOf(request) })
            : rowFor(reviewWriter, review),
          rowFor(decisionWriter, {
            org_id,
            subject_id,
            number: (previous?.number ?? 0) + 1,
            mode: subject.mode,
            subject: request.kind,
            after_seq: learnt.after_seq,
            ...closingOf(request),
          }),
          ...opinionRows(request, previous),
          ...learnt.rows,
        ],
        result: { review, changed: true },
      }
    },
  }
}

function reviewAsked(
  { review_id, kind }: DecisionRequest,
  reviews: readonly ReviewRow[],
): ReviewRow | undefined {
  return (
    reviews.find(({ id }) => id === review_id) ??
    reviews.find(({ subject }) => subject === kind) ??
    reviews[0]
  )
}

const closingOf = ({ label, decided_by, note }: DecisionRequest) => ({
  ...label,
  decided_by,
  note,
})

/** Of something that was not flagged: it is decided as it enters the queue. */
function newReview(request: DecisionRequest): Omit<ReviewRow, keyof ReturnType<typeof closingOf>> {
  const { kind, subject, new_id, label } = request
  const { org_id, mode, id: subject_id, external_id, risk_score, flags } = subject
  return {
    org_id,
    id: new_id,
    mode,
    subject: kind,
    subject_id,
    external_id,
    risk_score,
    flags,
    reason: 'Decided without having been flagged',
    created_at: label.decided_at,
  }
}

function opinionRows(
  { subject: { org_id }, labelling, label }: DecisionRequest,
  previous: Label | undefined,
): Row[] {
  const opinion = opinionOf(label, previous)
  return [...new Set(labelling.identities)].map((key_hash) =>
    rowFor(opinionWriter, { org_id, key_hash, ...opinion, at: label.decided_at }),
  )
}
