/** The review queue: a list at the side, one review beside it, decided by the keyboard if one likes. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import {
  Button,
  Empty,
  More,
  Page,
  percentText,
  Section,
  SelectField,
  Shown,
  Toolbar,
} from '../../components/index.ts'
import { useSession } from '../../session/context.ts'
import { useFilters } from '../../shell/filters.ts'
import { useMode, useOrg } from '../../shell/organization.ts'
import { useDecisionDesk } from './desk.ts'
import { ReviewDetail } from './detail.tsx'
import { KeysHelp } from './help.tsx'
import { useKeys } from './keys.ts'
import { ReviewItems } from './list.tsx'
import { type Queue, reviewPath, useQueue } from './queue.ts'
import styles from './reviews.module.css'
import { subjectPath } from './subject.tsx'

export default function QueuePage() {
  const mode = useMode()
  const [, setFilters] = useFilters({ review: '' })
  const before = useRef(mode)
  useLayoutEffect(() => {
    // What was looked at and decided in one mode is nothing of the other.
    if (before.current !== mode) setFilters({ review: '' }, { replace: true })
    before.current = mode
  }, [mode])
  return <Desk key={mode} />
}

function Desk() {
  const queue = useQueue()
  const [isHelpOpen, setHelpOpen] = useState(false)
  const desk = useDecisionDesk(queue)
  useKeys({ ...desk.keys, '?': () => setHelpOpen(true) })
  usePrefetch(queue)

  return (
    <Page
      title="Review queue"
      lead={<Progress queue={queue} />}
      actions={
        <Button onClick={() => setHelpOpen(true)}>
          Keys <kbd>?</kbd>
        </Button>
      }
    >
      <QueueFilters queue={queue} />
      <div class="visually-hidden" role="status" aria-live="polite">
        {queue.said}
      </div>
      {queue.items === undefined ? (
        <Shown read={queue.pages} what="reviews">
          {() => null}
        </Shown>
      ) : queue.items.length === 0 && queue.current === '' ? (
        <Section title="Reviews" hideTitle>
          <NoReviews queue={queue} />
        </Section>
      ) : (
        <div class={styles['desk']}>
          <Section title="Reviews" hideTitle class={styles['side'] ?? ''}>
            {queue.items.length === 0 ? (
              <NoReviews queue={queue} />
            ) : (
              <ReviewItems queue={queue} items={queue.items} />
            )}
          </Section>
          <ReviewDetail key={queue.current} id={queue.current} {...desk.detail} />
        </div>
      )}
      {isHelpOpen && <KeysHelp onClose={() => setHelpOpen(false)} />}
    </Page>
  )
}

/** The next review is there before it is asked for. */
function usePrefetch({ items, index }: Queue): void {
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

function Progress({ queue: { counts, made, filters } }: { queue: Queue }) {
  const { open, decided } = counts ?? {}
  const kinds = filters.subject === '' ? (['order', 'alert', 'cashier_action'] as const) : []
  const waiting =
    open &&
    (filters.subject === ''
      ? kinds.reduce((sum, kind) => sum + open[kind], 0)
      : open[filters.subject as 'order'])
  const all = decided && [decided.order, decided.cashier_action]
  const frauds = all?.reduce((sum, { confirmed_fraud }) => sum + confirmed_fraud, 0) ?? 0
  const legitimate = all?.reduce((sum, one) => sum + one.legitimate, 0) ?? 0
  return (
    <>
      {made.length} decided
      {waiting !== undefined && `, ${waiting}${open?.is_complete === true ? '' : ' or more'} open`}
      {decided && frauds + legitimate > 0 && (
        <>
          {' · '}
          {percentText(frauds / (frauds + legitimate), 0)} of {frauds + legitimate} decisions of the
          last {decided.days} days were fraud
        </>
      )}
    </>
  )
}

function QueueFilters({ queue: { filters, setFilters } }: { queue: Queue }) {
  return (
    <Toolbar label="Reviews">
      <SelectField
        label="State"
        value={filters.state}
        options={[
          { value: 'open', label: 'Open' },
          { value: 'decided', label: 'Decided' },
          { value: 'all', label: 'All' },
        ]}
        onChange={(state) =>
          setFilters({ state, review: '', ...(state !== 'open' && { order: 'newest' }) })
        }
      />
      <SelectField
        label="About"
        value={filters.subject}
        options={[
          { value: '', label: 'Everything' },
          { value: 'order', label: 'Orders' },
          { value: 'alert', label: 'Alerts' },
          { value: 'cashier_action', label: 'Cashier actions' },
        ]}
        onChange={(subject) => setFilters({ subject, review: '' })}
      />
      <SelectField
        label="Order"
        value={filters.order}
        disabled={filters.state !== 'open'}
        title={filters.state === 'open' ? undefined : 'Only open reviews are sorted by score'}
        options={[
          { value: 'newest', label: 'Newest first' },
          { value: 'highest', label: 'Highest score first' },
        ]}
        onChange={(order) => setFilters({ order, review: '' })}
      />
    </Toolbar>
  )
}

function NoReviews({ queue: { filters, setFilters, made, pages } }: { queue: Queue }) {
  if (pages.hasNextPage) {
    return (
      <Empty title="No review matches so far">
        <p>There are older ones that were not looked at yet.</p>
        <More pages={pages} shown={0} what="reviews" />
      </Empty>
    )
  }
  if (filters.state === 'open' && filters.subject === '') {
    return (
      <Empty title={made.length > 0 ? 'All is decided' : 'Nothing waits for a review'}>
        <p>
          Orders and cashier actions come here when they score 50 or more, or when a pattern over
          several orders is seen.
        </p>
      </Empty>
    )
  }
  return (
    <Empty title="No review matches">
      <Button onClick={() => setFilters({ state: 'open', subject: '', order: 'newest' })}>
        Show all open reviews
      </Button>
    </Empty>
  )
}
