import type { RefObject } from 'preact'
import type { ReviewCase, ReviewItem } from '../../../../src/modules/reviews/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  type Decision,
  DecisionBadge,
  DecisionList,
  decisionName,
} from '../../components/decisions.tsx'
import {
  Actions,
  Badge,
  Button,
  capitalized,
  Flags,
  Loaded,
  RiskScore,
  Section,
  TextArea,
  Time,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { readKeys } from '../../shell/single-keys.ts'
import { ReviewSubject } from './review-subject.tsx'
import { deciderOf, reasonOf, SUBJECT_NAMES } from './review-text.ts'
import styles from './reviews.module.css'
import { reviewPath } from './use-queue.ts'

const NOTE_MAX_CHARS = 1000

export type DetailProps = {
  id: string
  /** The list item, until the details are loaded. */
  known: ReviewItem | undefined
  heading: RefObject<HTMLHeadingElement | null>
  noteField: RefObject<HTMLDivElement | null>
  note: string
  onNote: (note: string) => void
  onDecide: (review: ReviewItem, decision: Decision) => void
  /** A decision of this session that the service may not have confirmed yet. */
  decisionOf: (subjectId: string) => Decision | undefined
}

export function ReviewDetail(props: DetailProps) {
  const { id: org_id } = useOrg()
  const read = useRead<ReviewCase>(reviewPath(props.id), { org_id })
  const review = read.data?.review ?? props.known
  if (!review) {
    return (
      <Section title="Review">
        <Loaded read={read} what="the review">
          {() => null}
        </Loaded>
      </Section>
    )
  }
  return (
    <div class={styles['detail']}>
      <Section title={review.external_id} hideTitle>
        <Why review={review} heading={props.heading} />
        <DecisionForm {...props} review={review} people={read.data?.people ?? {}} />
      </Section>
      <ReviewSubject key={review.subject_id} review={review} />
      {read.data && read.data.decisions.length > 0 && <Decisions {...read.data} />}
    </div>
  )
}

function Why({ review, heading }: Pick<DetailProps, 'heading'> & { review: ReviewItem }) {
  return (
    <header class={styles['why']}>
      <p class={styles['reason']}>{reasonOf(review)}</p>
      <h3 ref={heading} tabIndex={-1} class={styles['heading']}>
        {review.external_id}
      </h3>
      <p class="row">
        <RiskScore score={review.risk_score} level={review.risk_level} />
        <Badge>{SUBJECT_NAMES[review.subject]}</Badge>
        <Flags flags={review.flags} />
        <span class="muted">
          in the queue since <Time at={review.created_at} />
        </span>
      </p>
    </header>
  )
}

type FormProps = DetailProps & { review: ReviewItem; people: ReviewCase['people'] }

function DecisionForm({ review, people, onDecide, ...props }: FormProps) {
  const decision = props.decisionOf(review.subject_id) ?? review.decision
  const keys = readKeys()
  const button = (to: Decision, key: string) => (
    <Button
      kind={to === 'confirmed_fraud' ? 'danger' : 'plain'}
      class={styles['decision'] ?? ''}
      disabled={decision === to}
      onClick={() => onDecide(review, to)}
      aria-keyshortcuts={key}
    >
      {decision === null || decision === to
        ? capitalized(decisionName(to))
        : `Change to ${decisionName(to)}`}
      <kbd>{key}</kbd>
    </Button>
  )
  return (
    <div class="stack">
      {decision !== null && (
        <p>
          Marked as <DecisionBadge decision={decision} />
          {review.decided_by !== null && review.decision === decision && (
            <>
              {' '}
              by {deciderOf(review.decided_by, people)}, <Time at={review.decided_at} />
            </>
          )}
          {review.note !== null && review.decision === decision && (
            <span class={styles['note']}>{review.note}</span>
          )}
        </p>
      )}
      <div
        ref={props.noteField}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          if (event.target instanceof HTMLElement) event.target.blur()
        }}
      >
        <TextArea
          label="Note"
          hint="Stored with the decision. Press Esc to leave the field."
          value={props.note}
          onChange={props.onNote}
          rows={2}
          maxLength={NOTE_MAX_CHARS}
        />
      </div>
      <Actions class="decision-bar">
        {button('confirmed_fraud', keys.fraud)}
        {button('legitimate', keys.legitimate)}
      </Actions>
    </div>
  )
}

function Decisions({ decisions, people }: ReviewCase) {
  return (
    <Section title="Decisions">
      <DecisionList
        decisions={decisions}
        nameOf={({ decided_by }) => deciderOf(decided_by, people)}
      />
    </Section>
  )
}
