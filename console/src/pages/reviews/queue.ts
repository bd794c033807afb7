/**
 * The queue as the page works with it: what is listed, which review is open, and decisions that take
 * effect here at once and are taken back when the service refuses them.
 */
import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import type {
  DecidedReview,
  ReviewCounts,
  ReviewItem,
  ReviewList,
} from '../../../../src/modules/reviews/schema.ts'
import { ApiError, type Query } from '../../api/client.ts'
import { usePages, useRead } from '../../api/read.ts'
import { useToasts } from '../../components/index.ts'
import { useSession } from '../../session/context.ts'
import { useFilters } from '../../shell/filters.ts'
import { useMode, useOrg } from '../../shell/organization.ts'
import { DECISION_WORDS, reasonOf } from './words.ts'

export type Decision = 'confirmed_fraud' | 'legitimate'

export const REVIEWS = '/console/api/reviews'

/** @param id as an address may name it: whatever it is, it is one part of the path */
export const reviewPath = (id: string): string => `${REVIEWS}/${encodeURIComponent(id)}`

const COUNTS_EVERY_MS = 30_000
/** So many before the end of the list the next page is read. */
const AHEAD = 5

const DEFAULTS = { state: 'open', subject: '', order: 'newest', review: '' }

export type Made = { review: ReviewItem; decision: Decision }

export type Queue = ReturnType<typeof useQueue>

export function useQueue() {
  const { id: org_id } = useOrg()
  const mode = useMode()
  const [filters, setFilters] = useFilters(DEFAULTS)
  const { state, subject, order } = filters
  const query = { org_id, mode, state, subject, order }
  const pages = usePages<ReviewList>(REVIEWS, query)
  const counts = useRead<ReviewCounts>(
    `${REVIEWS}/counts`,
    { org_id, mode },
    { refresh_ms: COUNTS_EVERY_MS },
  )
  const deciding = useDecisions(query)
  const listed = pages.data?.pages.flatMap(({ reviews }) => reviews)
  const isHidden = (item: ReviewItem) => state === 'open' && deciding.hidden.has(item.subject_id)
  const items = useMemo(
    () => listed?.filter((item) => !isHidden(item)),
    [pages.data, deciding.hidden, state],
  )
  const current = filters.review || (items?.[0]?.id ?? '')
  const index = items?.findIndex(({ id }) => id === current) ?? -1

  useEffect(() => {
    const isNear = items !== undefined && index >= items.length - AHEAD
    // One that failed is asked for again by hand, and the one after one without a match: not in a circle.
    const isEmpty = pages.data?.pages.at(-1)?.reviews.length === 0
    const isWaiting = pages.isFetchingNextPage || pages.isFetchNextPageError || isEmpty
    if (isNear && pages.hasNextPage && !isWaiting) void pages.fetchNextPage()
  }, [items, index, pages.hasNextPage, pages.isFetchingNextPage, pages.isFetchNextPageError])

  // What is looked at stays, whatever comes above it: a key must not decide what was not seen.
  const isNamed = filters.review !== ''
  useLayoutEffect(() => {
    if (!isNamed && current !== '') setFilters({ review: current }, { replace: true })
  }, [isNamed, current])

  return {
    filters,
    setFilters,
    pages,
    items,
    counts: counts.data,
    people: Object.assign({}, ...(pages.data?.pages.map(({ people }) => people) ?? [])) as Record<
      string,
      string
    >,
    current,
    index,
    open: (review: string) => setFilters({ review }, { replace: true }),
    ...deciding,
  }
}

function useDecisions(query: Query) {
  const session = useSession()
  const client = useQueryClient()
  const toasts = useToasts()
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set())
  const [made, setMade] = useState<readonly Made[]>([])
  const [said, say] = useState('')
  const inTurn = useTurns()
  const listKey = [REVIEWS, query, 'pages']

  const decide = async (
    review: ReviewItem,
    decision: Decision,
    {
      note,
      next,
    }: {
      note: string
      /** The review that is opened meanwhile. */
      next: ReviewItem | undefined
    },
  ): Promise<boolean> => {
    const { id, subject_id, external_id } = review
    const earlier = made.find((one) => one.review.subject_id === subject_id)
    const mine: Made = { review, decision }
    setHidden((before) => new Set([...before, subject_id]))
    setMade((before) => [...without(before, subject_id), mine])
    const word = DECISION_WORDS[decision]
    const following = next
      ? `Next: ${next.external_id}, score ${next.risk_score}. ${reasonOf(next)}`
      : 'There is no next one.'
    say(`Decided ${word}: ${external_id}. ${following}`)
    try {
      const expected = earlier?.decision ?? review.decision
      const { review: decided } = await inTurn(subject_id, () =>
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
      // A later decision about the same has its own outcome.
      setMade((all) => (all.includes(mine) ? [...without(all, subject_id), ...before] : all))
      if (!earlier) setHidden((all) => new Set([...all].filter((one) => one !== subject_id)))
      const why = error instanceof ApiError ? error.message : 'The service does not answer.'
      toasts.warn(`${external_id} was not decided: ${why}`)
      say(`Not decided: ${external_id}. ${why}`)
      if (isOvertaken) {
        await client.invalidateQueries({
          predicate: ({ queryKey: [path] }) => typeof path === 'string' && path.startsWith(REVIEWS),
        })
      }
      return false
    }
  }
  return { hidden, made, said, say, decide }
}

/** Decisions about the same are sent one after another: the last one that was made holds. */
function useTurns() {
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

const without = (made: readonly Made[], subjectId: string): Made[] =>
  made.filter(({ review }) => review.subject_id !== subjectId)

/** All rows about one subject are decided together. */
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
