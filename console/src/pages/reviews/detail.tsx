/** One review: why it is here first, then the decision, then everything that is known. */
import type { RefObject } from 'preact'
import type { ReviewCase, ReviewItem } from '../../../../src/modules/reviews/schema.ts'
import { useRead } from '../../api/read.ts'
import {
  Actions,
  Badge,
  Button,
  RiskScore,
  Section,
  Shown,
  TextArea,
  Time,
} from '../../components/index.ts'
import { useOrg } from '../../shell/organization.ts'
import { type Decision, reviewPath } from './queue.ts'
import styles from './reviews.module.css'
import { ReviewSubject } from './subject.tsx'
import { DECISION_WORDS, deciderOf, reasonOf, SUBJECT_WORDS, wordsOf } from './words.ts'

const NOTE_MAX_CHARS = 1000

export type DetailProps = {
  id: string
  /** As the list has it, until everything is read. */
  known: ReviewItem | undefined
  heading: RefObject<HTMLHeadingElement | null>
  noteField: RefObject<HTMLDivElement | null>
  note: string
  onNote: (note: string) => void
  onDecide: (review: ReviewItem, decision: Decision) => void
  /** What was decided here a moment ago, before the service has answered. */
  madeOf: (subjectId: string) => Decision | undefined
}

export function ReviewDetail(props: DetailProps) {
  const { id: org_id } = useOrg()
  const read = useRead<ReviewCase>(reviewPath(props.id), { org_id })
  const review = read.data?.review ?? props.known
  if (!review) {
    return (
      <Section title="Review">
        <Shown read={read} what="the review">
          {() => null}
        </Shown>
      </Section>
    )
  }
  return (
    <div class={styles['detail']}>
      <Section title={review.external_id} hideTitle>
        <Why review={review} heading={props.heading} />
        <DecisionForm {...props} review={review} details={read.data} />
      </Section>
      <ReviewSubject key={review.subject_id} review={review} />
      {read.data && read.data.decisions.length > 0 && <Decisions details={read.data} />}
    </div>
  )
}

function Why({
  review,
  heading,
}: {
  review: ReviewItem
  heading: RefObject<HTMLHeadingElement | null>
}) {
  return (
    <header class={styles['why']}>
      <p class={styles['reason']}>{reasonOf(review)}</p>
      <h3 ref={heading} tabIndex={-1} class={styles['heading']}>
        {review.external_id}
      </h3>
      <p class="row">
        <RiskScore score={review.risk_score} level={review.risk_level} />
        <Badge>{SUBJECT_WORDS[review.subject]}</Badge>
        {review.flags.map((flag) => (
          <Badge key={flag} tone="warn">
            {wordsOf(flag)}
          </Badge>
        ))}
        <span class="muted">
          in the queue since <Time at={review.created_at} />
        </span>
      </p>
    </header>
  )
}

function DecisionForm({
  review,
  details,
  noteField,
  note,
  onNote,
  onDecide,
  madeOf,
}: DetailProps & { review: ReviewItem; details: ReviewCase | undefined }) {
  const decision = madeOf(review.subject_id) ?? review.decision
  const button = (to: Decision, key: string) => (
    <Button
      kind={to === 'confirmed_fraud' ? 'danger' : 'plain'}
      class={styles['decision'] ?? ''}
      disabled={decision === to}
      onClick={() => onDecide(review, to)}
      aria-keyshortcuts={key}
    >
      {decision === null || decision === to
        ? capitalised(DECISION_WORDS[to])
        : `Change to ${DECISION_WORDS[to]}`}
      <kbd>{key}</kbd>
    </Button>
  )
  return (
    <div class="stack">
      {decision !== null && (
        <p>
          Decided{' '}
          <Badge tone={decision === 'legitimate' ? 'good' : 'bad'}>
            {DECISION_WORDS[decision]}
          </Badge>
          {review.decided_by !== null && review.decision === decision && (
            <>
              {' '}
              by {deciderOf(review.decided_by, details?.people ?? {})},{' '}
              <Time at={review.decided_at} />
            </>
          )}
          {review.note !== null && review.decision === decision && (
            <span class={styles['note']}>{review.note}</span>
          )}
        </p>
      )}
      <div
        ref={noteField}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return
          event.preventDefault()
          if (event.target instanceof HTMLElement) event.target.blur()
        }}
      >
        <TextArea
          label="Note"
          hint="Kept with the decision. Esc leaves the field."
          value={note}
          onInput={onNote}
          rows={2}
          maxLength={NOTE_MAX_CHARS}
        />
      </div>
      <Actions>
        {button('confirmed_fraud', 'f')}
        {button('legitimate', 'l')}
      </Actions>
    </div>
  )
}

function Decisions({ details: { decisions, people } }: { details: ReviewCase }) {
  return (
    <Section title="Decisions">
      <ol class={styles['decisions']}>
        {decisions.map(({ decision, decided_at, decided_by, note }) => (
          <li key={decided_at}>
            <Badge tone={decision === 'legitimate' ? 'good' : 'bad'}>
              {DECISION_WORDS[decision]}
            </Badge>{' '}
            <Time at={decided_at} />, {deciderOf(decided_by, people)}
            {note !== null && <span class={styles['note']}>{note}</span>}
          </li>
        ))}
      </ol>
    </Section>
  )
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
