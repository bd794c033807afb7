/**
 * The step of a decision: takes back the previous one, updates the states and the shared
 * reputation, and closes every review of the subject.
 */
import { type Row, rowFor, type Writer } from '../../platform/postgres/rows.ts'
import { type ChangedState, readFrom, type Step } from '../../platform/states/index.ts'
import { eventWriter } from '../events/index.ts'
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
  /** For an outcome with a date, which replaces no decision from a later time. */
  dated?: { applied_at: Date; emits: boolean }
}

/**
 * `is_overtaken` means that the current decision was not the expected one and nothing changed;
 * `is_outdated` that it is a later one than the dated outcome.
 */
export type Decided = {
  review: ReviewRow
  changed: boolean
  is_overtaken?: boolean
  is_outdated?: boolean
}

export function decisionStep(
  request: DecisionRequest,
  opinionWriter: Writer<OpinionChange>,
): Step<Decided> {
  const { subject, labeling, dated } = request
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
      if (existing && isOutdated(request, previous)) {
        const result = { review: existing, changed: false, is_outdated: true }
        return { states: [], rows: [], result }
      }
      const learned = labeling.learn(states, request.label, previous)
      const review = { ...(existing ?? newReview(request)), ...closingOf(request) }
      return {
        states: learned.states.map((state) => stored(state, request)),
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
            source: dated === undefined ? null : 'outcome',
            ...closingOf(request),
          }),
          ...opinionRows(request, previous, opinionWriter),
          ...learned.rows.filter(({ writer }) => dated?.emits !== false || writer !== eventWriter),
        ],
        result: { review, changed: true },
      }
    },
  }
}

const isOutdated = ({ dated, label }: DecisionRequest, previous: Label | undefined): boolean =>
  dated !== undefined && previous !== undefined && previous.decided_at >= label.decided_at

/** Retention does not take the state of a recent device for an old one because an outcome came late. */
const stored = (state: ChangedState, { dated }: DecisionRequest): ChangedState =>
  dated === undefined ? state : { ...state, updated_at: dated.applied_at }

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

/** Creates the review of a subject without one; it enters the queue decided. */
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
    reason: 'Decided without having been in the queue',
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
