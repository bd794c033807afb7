/**
 * The step of a decision: takes back the previous one, updates the states and the shared
 * reputation, and closes every review of the subject.
 */
import { type Row, rowFor, type Writer } from '../../platform/postgres/rows.ts'
import { readFrom, type Step } from '../../platform/states/index.ts'
import type { OpinionChange } from '../reputation/index.ts'
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
import type { Label, Labeling, Subject } from './subject.ts'

export type DecisionRequest = {
  kind: DecisionRow['subject']
  subject: Subject
  labeling: Labeling
  /** The review to decide; by default the one of the subject itself. */
  review_id: string | undefined
  /** Id of the review that is created when there is none. */
  new_id: string
  label: Label
  decided_by: string
  note: string | null
  /** Current decision in the view of the caller, null for none. Undefined skips the check. */
  expected?: Label['decision'] | null | undefined
}

/** `is_overtaken` means that the current decision was not the expected one and nothing changed. */
export type Decided = { review: ReviewRow; changed: boolean; is_overtaken?: boolean }

export function decisionStep(
  request: DecisionRequest,
  opinionWriter: Writer<OpinionChange>,
): Step<Decided> {
  const { subject, labeling } = request
  const { org_id, id: subject_id } = subject
  return {
    org_id,
    keys: labeling.keys,
    identity: `decision ${org_id} ${subject_id}`,
    reads: [readFrom(subjectReader, { org_id, subject_id })],
    apply: (states, [about]) => {
      const { reviews, decisions } = about as SubjectReviews
      const previous = decisions.at(-1)
      const existing = answeredReview(request, reviews)
      if (existing && previous?.decision === request.label.decision) {
        return { states: [], rows: [], result: { review: existing, changed: false } }
      }
      const { expected } = request
      if (existing && expected !== undefined && (previous?.decision ?? null) !== expected) {
        const result = { review: existing, changed: false, is_overtaken: true }
        return { states: [], rows: [], result }
      }
      const learned = labeling.learn(states, request.label, previous)
      const review = { ...(existing ?? newReview(request)), ...closingOf(request) }
      return {
        states: learned.states,
        rows: [
          existing
            ? rowFor(labelWriter, { org_id, subject_id, ...closingOf(request) })
            : rowFor(reviewWriter, review),
          rowFor(decisionWriter, {
            org_id,
            subject_id,
            number: (previous?.number ?? 0) + 1,
            mode: subject.mode,
            subject: request.kind,
            after_seq: learned.after_seq,
            ...closingOf(request),
          }),
          ...opinionRows(request, previous, opinionWriter),
          ...learned.rows,
        ],
        result: { review, changed: true },
      }
    },
  }
}

function answeredReview(
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

/** Creates the review of a subject that was not flagged; it enters the queue decided. */
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
  { subject: { org_id }, labeling, label }: DecisionRequest,
  previous: Label | undefined,
  opinionWriter: Writer<OpinionChange>,
): Row[] {
  const opinion = opinionOf(label, previous, labeling.was_flagged)
  return [...new Set(labeling.identities)].map((key_hash) =>
    rowFor(opinionWriter, { org_id, key_hash, ...opinion, at: label.decided_at }),
  )
}
