/** Moving through the queue and deciding. The focus follows, so that screen readers do. */
import { useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type {
  ReviewCase,
  ReviewItem,
  ReviewNeighbors,
} from '../../../../src/modules/reviews/schema.ts'
import { type Decision, decisionName } from '../../components/decisions.tsx'
import { useToasts } from '../../components/index.ts'
import { useSession } from '../../session/context.ts'
import { useOrg } from '../../shell/organization.ts'
import { readKeys } from '../../shell/single-keys.ts'
import { afterDeciding } from './next-review.ts'
import { reasonOf } from './review-text.ts'
import { type QueueState, reviewPath } from './use-queue.ts'

export function useReviewControls(queue: QueueState) {
  const { items = [], index, current, decisions } = queue
  const { id: org_id } = useOrg()
  const toasts = useToasts()
  const client = useQueryClient()
  const noteField = useRef<HTMLDivElement>(null)
  const { note, onNote, noteOf, clear } = useNotes(current)
  const { heading, open, step } = useSteps(queue)
  const { decide, undo } = useDeciding(queue, { noteOf, clear }, open)
  const known = items[index] ?? decisions.find(({ review }) => review.id === current)?.review

  const decideCurrent = (decision: Decision) => {
    const key = [reviewPath(current), { org_id }]
    const review = client.getQueryData<ReviewCase>(key)?.review ?? known
    if (review) decide(review, decision)
    else toasts.warn('The review is still loading.')
  }
  return {
    keys: {
      next: () => void step(1),
      ArrowDown: () => void step(1),
      previous: () => void step(-1),
      ArrowUp: () => void step(-1),
      fraud: () => decideCurrent('confirmed_fraud'),
      legitimate: () => decideCurrent('legitimate'),
      note: () => noteField.current?.querySelector('textarea')?.focus(),
      undo,
    },
    detail: {
      known,
      heading,
      noteField,
      note,
      onNote,
      onDecide: decide,
      decisionOf: (subjectId: string) =>
        decisions.find(({ review }) => review.subject_id === subjectId)?.decision,
    },
  }
}

/** Each review has its own note, which is never sent with another review. */
function useNotes(current: string) {
  const [notes, setNotes] = useState<Readonly<Record<string, string>>>({})
  const noteOf = (id: string) => notes[id] ?? ''
  const write = (id: string, note: string) => setNotes((before) => ({ ...before, [id]: note }))
  return {
    note: noteOf(current),
    onNote: (note: string) => write(current, note),
    noteOf,
    clear: (id: string) => write(id, ''),
  }
}

type Notes = Pick<ReturnType<typeof useNotes>, 'noteOf' | 'clear'>

function useSteps(queue: QueueState) {
  const { items = [], index, current } = queue
  const { id: org_id } = useOrg()
  const session = useSession()
  const heading = useRef<HTMLHeadingElement>(null)
  const isMoving = useRef(false)
  const shown = useRef(current)
  shown.current = current
  // Before the paint, so that keys pressed right after find the focus in place.
  useLayoutEffect(() => {
    if (isMoving.current) heading.current?.focus({ preventScroll: true })
    isMoving.current = false
  }, [current])

  const open = (id: string) => {
    isMoving.current = true
    queue.open(id)
  }
  const findNeighbor = async (by: 1 | -1): Promise<string | undefined> => {
    const { state, subject, order } = queue.filters
    const query = { org_id, state, order, ...(subject !== '' && { subject }) }
    const path = `${reviewPath(current)}/neighbors`
    const neighbors = await session.call<ReviewNeighbors>({ path, query }).catch(() => undefined)
    return (by === 1 ? neighbors?.next_id : neighbors?.previous_id) ?? items[0]?.id
  }
  const step = async (by: 1 | -1) => {
    if (index < 0) {
      // Opened by its address and not in the loaded list, so the service looks up its neighbors.
      const id = await findNeighbor(by)
      if (id !== undefined && shown.current === current) open(id)
      return
    }
    const next = items[index + by]
    if (!next) {
      queue.announce(by === 1 ? 'This is the last review.' : 'This is the first review.')
      return
    }
    queue.announce(`${next.external_id}, score ${next.risk_score}. ${reasonOf(next)}`)
    open(next.id)
  }
  return { heading, open, step }
}

function useDeciding(queue: QueueState, { noteOf, clear }: Notes, open: (id: string) => void) {
  const { items = [], current, decisions } = queue
  /** The review to return to after an earlier decision was reopened. */
  const [resume, setResume] = useState('')

  const decide = (review: ReviewItem, decision: Decision) => {
    const earlier = decisions.find((one) => one.review.subject_id === review.subject_id)
    if ((earlier?.decision ?? review.decision) === decision) {
      queue.announce(`${review.external_id} is already marked as ${decisionName(decision)}.`)
      return
    }
    const isListed = items.some(({ id }) => id === review.id)
    const nextId = isListed ? afterDeciding(items, review) : resume || (items[0]?.id ?? '')
    const next = items.find(({ id }) => id === nextId)
    setResume('')
    const deciding = queue.decide(review, decision, { note: noteOf(review.id).trim(), next })
    // A refused review returns to the list but is not opened, because the next key is meant for another.
    void deciding.then((isDecided) => isDecided && clear(review.id))
    if (nextId !== current) open(nextId)
  }
  const undo = () => {
    const last = decisions.at(-1)
    if (!last) {
      queue.announce('No decisions in this session yet.')
      return
    }
    const { review, decision } = last
    const keys = readKeys()
    const other =
      decision === 'legitimate' ? `${keys.fraud} for fraud` : `${keys.legitimate} for legitimate`
    queue.announce(`${review.external_id} was marked as ${decisionName(decision)}. Press ${other}.`)
    setResume(current)
    open(review.id)
  }
  return { decide, undo }
}
