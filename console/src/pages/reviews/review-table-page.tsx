/** All reviews as a table, to decide several together. */
import type { ReviewItem, ReviewList } from '../../../../src/modules/reviews/schema.ts'
import { rowsOfPages } from '../../api/lists.ts'
import { usePages } from '../../api/read.ts'
import { type Decision, DecisionBadge, decisionName } from '../../components/decisions.tsx'
import { capitalized, ListPage, SCORE_COLUMN, Time } from '../../components/index.ts'
import type { Column } from '../../components/table.tsx'
import type { Batch } from '../../components/tables/batch.tsx'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useScope } from '../../shell/organization.ts'
import { reasonOf, STATES, SUBJECT_NAMES, SUBJECTS } from './review-text.ts'
import { REVIEWS, reviewPath } from './use-queue.ts'

export default function ReviewTablePage() {
  const scope = useScope()
  const view = useFilters({ state: 'open', subject: '' })
  const query = { ...scope, ...view[0], order: 'newest' }
  const pages = usePages<ReviewList>(REVIEWS, query, { keep_previous: true })
  return (
    <ListPage
      title="Review table"
      lead="Select reviews to decide them together"
      up={{ to: '/reviews', label: 'Review queue' }}
      list={rowsOfPages(pages, ({ reviews }) => reviews)}
      what="reviews"
      columns={columnsOf(view[0].state)}
      keyOf={({ id }) => id}
      batch={batchOf(scope.org_id)}
      view={view}
      filters={[
        { name: 'state', label: 'State', options: STATES },
        { name: 'subject', label: 'Subject', options: SUBJECTS },
      ]}
      emptyTitle="No reviews"
      empty={<p>Orders and cashier actions with a high score wait here for a decision.</p>}
    />
  )
}

const columnsOf = (state: string): readonly Column<ReviewItem>[] => [
  {
    label: 'Review',
    cell: ({ id, external_id }) => (
      <PageLink to="/reviews" query={{ ...(state !== 'open' && { state }), review: id }}>
        <span class="one-line">{external_id}</span>
      </PageLink>
    ),
  },
  SCORE_COLUMN,
  { label: 'Reason', isWide: true, cell: reasonOf },
  { label: 'Subject', cell: ({ subject }) => SUBJECT_NAMES[subject] },
  {
    label: 'Decision',
    cell: ({ decision }) => decision && <DecisionBadge decision={decision} />,
  },
  { label: 'Since', cell: ({ created_at }) => <Time at={created_at} as="age" /> },
]

function batchOf(org_id: string): Batch<ReviewItem> {
  const decide = (decision: Decision) => ({
    label: capitalized(decisionName(decision)),
    effect: `The reviews are marked as ${decisionName(decision)}.`,
    appliesTo: (review: ReviewItem) => review.decision !== decision,
    callOf: ({ id, decision: expected }: ReviewItem) => ({
      method: 'POST' as const,
      path: `${reviewPath(id)}/decision`,
      body: { org_id, decision, expected },
    }),
  })
  return {
    nameOf: ({ external_id }) => external_id,
    actions: [decide('legitimate'), { ...decide('confirmed_fraud'), isDanger: true }],
    invalidates: [REVIEWS],
  }
}
