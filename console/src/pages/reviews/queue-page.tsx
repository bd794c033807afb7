/** The review queue: a list, and one review next to it. Both can be operated with the keyboard. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import {
  Button,
  Empty,
  Loaded,
  More,
  Page,
  percentText,
  Section,
  SelectField,
  Toolbar,
} from '../../components/index.ts'
import { ListDetail, useIsOneColumn } from '../../components/list-detail.tsx'
import { useSession } from '../../session/context.ts'
import { useFilters } from '../../shell/filters.ts'
import { PageLink } from '../../shell/links.tsx'
import { useMode, useOrg } from '../../shell/organization.ts'
import Shortcuts from '../../shell/shortcuts.tsx'
import { readKeys } from '../../shell/single-keys.ts'
import { useReviewControls } from './review-controls.ts'
import { ReviewDetail } from './review-detail.tsx'
import { ReviewItems, shownFilters } from './review-list.tsx'
import { subjectPath } from './review-subject.tsx'
import { STATES, SUBJECTS } from './review-text.ts'
import styles from './reviews.module.css'
import { useShortcuts } from './shortcuts.ts'
import { type QueueState, reviewPath, useQueue } from './use-queue.ts'

export default function QueuePage() {
  const mode = useMode()
  const [, setFilters] = useFilters({ review: '' })
  const before = useRef(mode)
  useLayoutEffect(() => {
    // An open review belongs to one mode, so it is closed when the mode changes.
    if (before.current !== mode) setFilters({ review: '' }, { replace: true })
    before.current = mode
  }, [mode])
  return <Queue key={mode} />
}

function Queue() {
  const queue = useQueue()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const controls = useReviewControls(queue)
  useShortcuts(controls.keys)
  usePrefetch(queue)
  const isAlone = useIsOneColumn() && queue.filters.review !== ''

  return (
    <Page
      title="Review queue"
      lead={<Progress queue={queue} />}
      actions={
        isAlone ? undefined : (
          <>
            <PageLink to="/reviews/table">Table</PageLink>
            <Button onClick={() => setHelpOpen(true)}>
              Shortcuts <kbd>{readKeys().help}</kbd>
            </Button>
          </>
        )
      }
    >
      {!isAlone && <QueueFilters queue={queue} />}
      <div class="visually-hidden" role="status" aria-live="polite">
        {queue.announcement}
      </div>
      {queue.items === undefined ? (
        <Loaded read={queue.pages} what="reviews">
          {() => null}
        </Loaded>
      ) : queue.items.length === 0 && queue.current === '' ? (
        <Section title="Reviews" hideTitle>
          <NoReviews queue={queue} />
        </Section>
      ) : (
        <ListDetail
          open={queue.filters.review}
          back={{ to: '/reviews', query: shownFilters(queue.filters), label: 'All reviews' }}
          class={styles['queue']}
          side={
            <Section title="Reviews" hideTitle class={styles['side'] ?? ''}>
              {queue.items.length === 0 ? (
                <NoReviews queue={queue} />
              ) : (
                <ReviewItems queue={queue} items={queue.items} />
              )}
            </Section>
          }
        >
          <ReviewDetail key={queue.current} id={queue.current} {...controls.detail} />
        </ListDetail>
      )}
      {isHelpOpen && <Shortcuts onClose={() => setHelpOpen(false)} />}
    </Page>
  )
}

/** Loads the next review in advance. */
function usePrefetch({ items, index }: QueueState): void {
  const client = useQueryClient()
  const session = useSession()
  const { id: org_id } = useOrg()
  const next = items?.[index + 1]
  useEffect(() => {
    if (!next) return
    for (const path of [reviewPath(next.id), subjectPath(next)]) {
      void client.prefetchQuery({
        queryKey: [path, { org_id }],
        queryFn: ({ signal }) => session.call({ path, query: { org_id }, signal }),
        retry: false,
      })
    }
  }, [next?.id])
}

function Progress({ queue: { counts, decisions, filters } }: { queue: QueueState }) {
  const { open, decided } = counts ?? {}
  const waiting =
    open &&
    (filters.subject === ''
      ? open.order + open.alert + open.cashier_action
      : open[filters.subject as 'order'])
  const totals = decided && [decided.order, decided.cashier_action]
  const frauds = totals?.reduce((sum, { confirmed_fraud }) => sum + confirmed_fraud, 0) ?? 0
  const legitimate = totals?.reduce((sum, one) => sum + one.legitimate, 0) ?? 0
  return (
    <>
      {decisions.length} decided
      {waiting !== undefined && `, ${waiting}${open?.is_complete === true ? '' : ' or more'} open`}
      {decided && frauds + legitimate > 0 && (
        <>
          {' · '}
          {percentText(frauds / (frauds + legitimate), 0)} of {frauds + legitimate} decisions in the
          last {decided.days} days were fraud
        </>
      )}
    </>
  )
}

function QueueFilters({ queue: { filters, setFilters } }: { queue: QueueState }) {
  return (
    <Toolbar label="Filter reviews" count={Object.keys(shownFilters(filters)).length}>
      <SelectField
        label="State"
        value={filters.state}
        options={STATES}
        onChange={(state) =>
          setFilters({ state, review: '', ...(state !== 'open' && { order: 'newest' }) })
        }
      />
      <SelectField
        label="Subject"
        value={filters.subject}
        options={SUBJECTS}
        onChange={(subject) => setFilters({ subject, review: '' })}
      />
      <SelectField
        label="Sort by"
        value={filters.order}
        disabled={filters.state !== 'open'}
        title={filters.state === 'open' ? undefined : 'Only open reviews can be sorted by score'}
        options={[
          { value: 'newest', label: 'Newest' },
          { value: 'highest', label: 'Highest score' },
        ]}
        onChange={(order) => setFilters({ order, review: '' })}
      />
    </Toolbar>
  )
}

function NoReviews({ queue: { filters, setFilters, decisions, pages } }: { queue: QueueState }) {
  if (pages.hasNextPage) {
    return (
      <Empty title="No matching reviews so far">
        <p>Older reviews have not been searched yet.</p>
        <More pages={pages} shown={0} what="reviews" />
      </Empty>
    )
  }
  if (filters.state === 'open' && filters.subject === '') {
    return (
      <Empty title={decisions.length > 0 ? 'All reviews are decided' : 'No open reviews'}>
        <p>Orders and cashier actions with a score of 50 or higher and fraud alerts appear here.</p>
      </Empty>
    )
  }
  return (
    <Empty title="No matching reviews">
      <Button onClick={() => setFilters({ state: 'open', subject: '', order: 'newest' })}>
        Show all open reviews
      </Button>
    </Empty>
  )
}
