/**
 * State of the queue: listed reviews, the open one, and optimistic decisions that are reverted when the
 * service refuses them.
 */
import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type {
  DecidedReview,
  ReviewCounts,
  ReviewItem,
  ReviewList,
  ReviewPeople,
} from '../../../../src/modules/reviews/schema.ts'
import { ApiError, type Query } from '../../api/client.ts'
import { usePages, useRead } from '../../api/read.ts'
import { type Decision, decisionName } from '../../components/decisions.tsx'
import { useToasts } from '../../components/index.ts'
import { useIsOneColumn } from '../../components/list-detail.tsx'
import { useSession } from '../../session/context.ts'
import { useFilters } from '../../shell/filters.ts'
import { useScope } from '../../shell/organization.ts'
import { reasonOf } from './review-text.ts'

export const REVIEWS = '/console/api/reviews'

/** @param id from the address, so it is escaped */
export const reviewPath = (id: string): string => `${REVIEWS}/${encodeURIComponent(id)}`

const COUNTS_REFRESH_MS = 30_000
/** The next page is loaded this many reviews before the end of the list. */
const PRELOAD_ITEMS = 5

const DEFAULTS = { state: 'open', subject: '', order: 'newest', review: '' }

export type LocalDecision = { review: ReviewItem; decision: Decision }

export type QueueState = ReturnType<typeof useQueue>

export function useQueue() {
  const scope = useScope()
  const [filters, setFilters] = useFilters(DEFAULTS)
  const { state, subject, order } = filters
  const query = { ...scope, state, subject, order }
  const pages = usePages<ReviewList>(REVIEWS, query)
  const options = { refresh_ms: COUNTS_REFRESH_MS }
  const counts = useRead<ReviewCounts>(`${REVIEWS}/counts`, scope, options)
  const local = useDecisions(query)
  const loaded = pages.data?.pages
  const listed = loaded?.flatMap(({ reviews }) => reviews)
  const isHidden = (item: ReviewItem) => state === 'open' && local.hidden.has(item.subject_id)
  const items = useMemo(
    () => listed?.filter((item) => !isHidden(item)),
    [pages.data, local.hidden, state],
  )
  const isOneColumn = useIsOneColumn()
  const current = filters.review || (isOneColumn ? '' : (items?.[0]?.id ?? ''))
  const index = items?.findIndex(({ id }) => id === current) ?? -1

  useEffect(() => {
    const isNear = items !== undefined && index >= items.length - PRELOAD_ITEMS
    // A failed page, or the page after an empty one, is loaded only on request, to avoid an endless loop.
    const isEmpty = loaded?.at(-1)?.reviews.length === 0
    const isPaused = pages.isFetchingNextPage || pages.isFetchNextPageError || isEmpty
    if (isNear && pages.hasNextPage && !isPaused) void pages.fetchNextPage()
  }, [items, index, pages.hasNextPage, pages.isFetchingNextPage, pages.isFetchNextPageError])

  // The open review stays open when newer ones arrive, so that a key never decides an unseen review.
  const isNamed = filters.review !== ''
  useLayoutEffect(() => {
    // Where the list is alone, opening one hides it.
    if (!isNamed && current !== '') setFilters({ review: current }, { replace: true })
  }, [isNamed, current])

  return {
    filters,
    setFilters,
    pages,
    items,
    counts: counts.data,
    people: Object.assign({}, ...(loaded?.map(({ people }) => people) ?? [])) as ReviewPeople,
    current,
    index,
    open: (review: string) => setFilters({ review }, { replace: true }),
    ...local,
  }
}

function useDecisions(query: Query) {
  const session = useSession()
  const client = useQueryClient()
  const toasts = useToasts()
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [decisions, setDecisions] = useState<readonly LocalDecision[]>([])
  const [announcement, announce] = useState('')
  const inOrder = useSequences()
  const listKey = [REVIEWS, query, 'pages']

  /** @param options.next the review that is opened in the meantime */
  const decide = async (
    review: ReviewItem,
    decision: Decision,
    { note, next }: { note: string; next: ReviewItem | undefined },
  ): Promise<boolean> => {
    const { id, subject_id, external_id } = review
    const earlier = decisions.find((one) => one.review.subject_id === subject_id)
    const mine: LocalDecision = { review, decision }
    setHidden((before) => new Set([...before, subject_id]))
    setDecisions((before) => [...without(before, subject_id), mine])
    const following = next
      ? `Next: ${next.external_id}, score ${next.risk_score}. ${reasonOf(next)}`
      : 'There are no more reviews.'
    announce(`Marked ${external_id} as ${decisionName(decision)}. ${following}`)
    try {
      const expected = earlier?.decision ?? review.decision
      const { review: decided } = await inOrder(subject_id, () =>
        session.call<DecidedReview>({
          method: 'POST',
          path: `${reviewPath(id)}/decision`,
          body: { org_id: query['org_id'], decision, expected, ...(note !== '' && { note }) },
        }),
      )
      client.setQueryData<InfiniteData<ReviewList>>(listKey, (before) =>
        withDecided(before, decided, query['state'] === 'open'),
      )
      await client.invalidateQueries({
        predicate: ({ queryKey: [path] }) =>
          path === `${REVIEWS}/counts` || path === reviewPath(id),
      })
      return true
    } catch (error) {
      const isOvertaken = error instanceof ApiError && error.field === 'expected'
      const before = earlier && !isOvertaken ? [earlier] : []
      // A later decision about the same subject has its own result.
      setDecisions((all) => (all.includes(mine) ? [...without(all, subject_id), ...before] : all))
      if (!earlier) setHidden((all) => new Set([...all].filter((one) => one !== subject_id)))
      const reason = error instanceof ApiError ? error.message : 'The service is not responding.'
      toasts.warn(`${external_id} was not decided: ${reason}`)
      announce(`Not decided: ${external_id}. ${reason}`)
      if (isOvertaken) {
        await client.invalidateQueries({
          predicate: ({ queryKey: [path] }) => typeof path === 'string' && path.startsWith(REVIEWS),
        })
      }
      return false
    }
  }
  return { hidden, decisions, announcement, announce, decide }
}

/** Decisions about one subject are sent in sequence, so that the last one wins. */
function useSequences() {
  const last = useRef(new Map<string, Promise<unknown>>())
  return async <Result>(name: string, call: () => Promise<Result>): Promise<Result> => {
    const before = last.current.get(name)
    const mine = before ? before.then(call, call) : call()
    last.current.set(name, mine)
    try {
      return await mine
    } finally {
      if (last.current.get(name) === mine) last.current.delete(name)
    }
  }
}

const without = (decisions: readonly LocalDecision[], subjectId: string): LocalDecision[] =>
  decisions.filter(({ review }) => review.subject_id !== subjectId)

/** All reviews of one subject are decided together. */
function withDecided(
  before: InfiniteData<ReviewList> | undefined,
  { subject_id, decision, decided_at, decided_by, note }: ReviewItem,
  isGone: boolean,
): InfiniteData<ReviewList> | undefined {
  return (
    before && {
      ...before,
      pages: before.pages.map((page) => ({
        ...page,
        reviews: page.reviews.flatMap((item) => {
          if (item.subject_id !== subject_id) return [item]
          return isGone ? [] : [{ ...item, decision, decided_at, decided_by, note }]
        }),
      })),
    }
  )
}
