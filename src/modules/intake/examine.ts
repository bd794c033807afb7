/**
 * Examines the elements of a batch one by one. Rejected elements are counted, and the message gives the
 * first reason and says where the others are; the batch as a whole is rejected only when no element is
 * valid.
 */
import { invalidRequest } from '../../platform/http/errors.ts'
import type { NextTurn } from '../../platform/turns.ts'

/** `field` is a path inside the element; '' stands for the element itself. */
export type ElementFault = { field: string; problem: string }

export type Examined = {
  /** Number of valid elements, at least one. */
  processed: number
  message: string
}

export type Batch = {
  /** Member of the body that holds the elements. */
  list: string
  elements: readonly unknown[]
  /** Stores the element, or returns its fault. */
  take: (element: unknown, index: number) => ElementFault | undefined
  /** Message of the response when every element is valid. */
  message: string
  nextTurn: NextTurn
}

/** Yields to other requests after this long, because fingerprinting large errors is slow. */
const TURN_MAX_MS = 1
/** Most rejected elements that the message names. */
const NAMED_MAX = 20

/** @throws AppError 400 that names the first element and its field, when none is valid */
export async function examine({
  list,
  elements,
  take,
  message,
  nextTurn,
}: Batch): Promise<Examined> {
  let refused = 0
  const named: ElementFault[] = []
  let turnBegan = performance.now()
  for (const [index, element] of elements.entries()) {
    const fault = take(element, index)
    if (fault !== undefined) {
      refused += 1
      if (named.length < NAMED_MAX) named.push(withinElement(`${list}.${index}`, fault))
    }
    if (performance.now() - turnBegan > TURN_MAX_MS) {
      await nextTurn()
      turnBegan = performance.now()
    }
  }
  const processed = elements.length - refused
  const [first, ...others] = named
  if (first === undefined) return { processed, message }
  const reason = `${first.field} ${first.problem}`
  if (processed === 0) throw invalidRequest(first.field, reason)
  const summary = `${message}; ${refused} of ${elements.length} refused, the first: ${reason}`
  return { processed, message: summary + textOfOthers(others, refused - named.length) }
}

function textOfOthers(others: readonly ElementFault[], more: number): string {
  if (others.length === 0) return ''
  const fields = others.map(({ field }) => field).join(', ')
  return `; also refused: ${fields}${more > 0 ? ` and ${more} more` : ''}`
}

const withinElement = (element: string, { field, problem }: ElementFault): ElementFault => ({
  field: field === '' ? element : `${element}.${field}`,
  problem,
})
