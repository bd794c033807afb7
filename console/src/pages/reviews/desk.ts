/** Working on the queue: moving through it and deciding. The focus goes along, so that screen readers do. */
import { useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import type {
  ReviewCase,
  ReviewItem,
  ReviewNeighbours,
} from '../../../../src/modules/reviews/schema.ts'
import { useToasts } from '../../components/index.ts'
import { useSession } from '../../session/context.ts'
import { useOrg } from '../../shell/organization.ts'
import { afterDeciding } from './next.ts'
import { type Decision, type Queue, reviewPath } from './queue.ts'
import { DECISION_WORDS, reasonOf } from './words.ts'

export function useDecisionDesk(queue: Queue) {
  const { items = [], index, current, made } = queue
  const { id: org_id } = useOrg()
  const toasts = useToasts()
  const client = useQueryClient()
  const noteField = useRef<HTMLDivElement>(null)
  const { note, onNote, noteOf, forget } = useNotes(current)
  const { heading, open, step } = useSteps(queue)
  const { decide, undo } = useDeciding(queue, { noteOf, forget }, open)
  const known = items[index] ?? made.find(({ review }) => review.id === current)?.review

  const decideCurrent = (decision: Decision) => {
    const key = [reviewPath(current), { org_id }]
    const review = client.getQueryData<ReviewCase>(key)?.review ?? known
    if (review) decide(review, decision)
    else toasts.warn('The review is still loading.')
  }
  return {
    keys: {
      j: () => void step(1),
      ArrowDown: () => void step(1),
      k: () => void step(-1),
      ArrowUp: () => void step(-1),
      f: () => decideCurrent('confirmed_fraud'),
      l: () => decideCurrent('legitimate'),
      n: () => noteField.current?.querySelector('textarea')?.focus(),
      u: undo,
    },
    detail: {
      known,
      heading,
      noteField,
      note,
      onNote,
      onDecide: decide,
      madeOf: (subjectId: string) =>
        made.find(({ review }) => review.subject_id === subjectId)?.decision,
    },
  }
}

/** Each review has its own: what is written about one never goes with another. */
function useNotes(current: string) {
  const [notes, setNotes] = useState<Readonly<Record<string, string>>>({})
  const noteOf = (id: string) => notes[id] ?? ''
  const write = (id: string, note: string) => setNotes((before) => ({ ...before, [id]: note }))
  return {
    note: noteOf(current),
    onNote: (note: string) => write(current, note),
    noteOf,
    forget: (id: string) => write(id, ''),
  }
}

type Notes = Pick<ReturnType<typeof useNotes>, 'noteOf' | 'forget'>

function useSteps(queue: Queue) {
  const { items = [], index, current } = queue
  const { id: org_id } = useOrg()
  const session = useSession()
  const heading = useRef<HTMLHeadingElement>(null)
  const isMoving = useRef(false)
  const shown = useRef(current)
  shown.current = current
  // Before anything is painted: keys that follow at once find the focus where it belongs.
  useLayoutEffect(() => {
    if (isMoving.current) heading.current?.focus({ preventScroll: true })
    isMoving.current = false
  }, [current])

  const open = (id: string) => {
    isMoving.current = true
    queue.open(id)
  }
  const findBeside = async (by: 1 | -1): Promise<string | undefined> => {
    const { state, subject, order } = queue.filters
    const walk = { org_id, state, order, ...(subject !== '' && { subject }) }
    const path = `${reviewPath(current)}/neighbours`
    const beside = await session
      .call<ReviewNeighbours>({ path, query: walk })
      .catch(() => undefined)
    return (by === 1 ? beside?.next_id : beside?.previous_id) ?? items[0]?.id
  }
  const step = async (by: 1 | -1) => {
    if (index < 0) {
      // Opened by its address and not in the list (yet): the service knows what is beside it.
      const id = await findBeside(by)
      if (id !== undefined && shown.current === current) open(id)
      return
    }
    const next = items[index + by]
    if (!next) {
      queue.say(by === 1 ? 'This is the last review.' : 'This is the first review.')
      return
    }
    queue.say(`${next.external_id}, score ${next.risk_score}. ${reasonOf(next)}`)
    open(next.id)
  }
  return { heading, open, step }
}

function useDeciding(queue: Queue, { noteOf, forget }: Notes, open: (id: string) => void) {
  const { items = [], current, made } = queue
  /** Where one was when an earlier decision was opened again. */
  const [resume, setResume] = useState('')

  const decide = (review: ReviewItem, decision: Decision) => {
    const before = made.find((one) => one.review.subject_id === review.subject_id)
    if ((before?.decision ?? review.decision) === decision) {
      queue.say(`${review.external_id} is already decided ${DECISION_WORDS[decision]}.`)
      return
    }
    const isListed = items.some(({ id }) => id === review.id)
    const nextId = isListed ? afterDeciding(items, review) : resume || (items[0]?.id ?? '')
    const next = items.find(({ id }) => id === nextId)
    setResume('')
    const deciding = queue.decide(review, decision, { note: noteOf(review.id).trim(), next })
    // One that is refused comes back to the list. It is not opened: the next key is meant for another.
    void deciding.then((isDecided) => isDecided && forget(review.id))
    if (nextId !== current) open(nextId)
  }
  const undo = () => {
    const last = made.at(-1)
    if (!last) {
      queue.say('Nothing was decided here yet.')
      return
    }
    const { review, decision } = last
    const other = decision === 'legitimate' ? 'f for fraud' : 'l for legitimate'
    queue.say(`${review.external_id} was decided ${DECISION_WORDS[decision]}. Press ${other}.`)
    setResume(current)
    open(review.id)
  }
  return { decide, undo }
}
