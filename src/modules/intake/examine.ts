/**
 * Examines the elements of a batch one by one. Rejected elements are counted and listed, and the message
 * gives the first reason and says where the others are; the batch as a whole is rejected only when no
 * element is valid.
 */
import { invalidRequest, shortened } from '../../platform/http/errors.ts'
import type { NextTurn } from '../../platform/turns.ts'

/** `field` is a path inside the element; '' stands for the element itself. */
export type ElementFault = { field: string; problem: string }

/** A rejected element: its position in the batch, the path inside of it, and why (`must be string`). */
export type RefusedElement = { index: number; field: string; reason: string }

export type Examined = {
  /** Number of valid elements, at least one. */
  processed: number
  message: string
  /** The first `ERRORS_MAX` rejected elements. */
  errors: readonly RefusedElement[]
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
/** Most rejected elements that the response lists (OP-148). */
export const ERRORS_MAX = 100
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
  const errors: RefusedElement[] = []
  let turnBegan = performance.now()
  for (let index = 0; index < elements.length; index += 1) {
    const fault = take(elements[index], index)
    if (fault !== undefined) {
      refused += 1
      if (errors.length < ERRORS_MAX) errors.push(refusalOf(index, fault))
    }
    if (performance.now() - turnBegan > TURN_MAX_MS) {
      await nextTurn()
      turnBegan = performance.now()
    }
  }
  const processed = elements.length - refused
  const named = errors.slice(0, NAMED_MAX).map((error) => withinElement(list, error))
  const [first, ...others] = named
  if (first === undefined) return { processed, message, errors }
  const reason = `${first.field} ${first.problem}`
  if (processed === 0) throw invalidRequest(first.field, reason)
  const summary = `${message}; ${refused} of ${elements.length} refused, the first: ${reason}`
  return { processed, message: summary + textOfOthers(others, refused - named.length), errors }
}

function textOfOthers(others: readonly ElementFault[], more: number): string {
  if (others.length === 0) return ''
  const fields = others.map(({ field }) => field).join(', ')
  return `; also refused: ${fields}${more > 0 ? ` and ${more} more` : ''}`
}

/** Names of members come from the sender and can be long. */
const refusalOf = (index: number, { field, problem }: ElementFault): RefusedElement => ({
  index,
  field: shortened(field),
  reason: shortened(problem),
})

const withinElement = (list: string, { index, field, reason }: RefusedElement): ElementFault => ({
  field: field === '' ? `${list}.${index}` : `${list}.${index}.${field}`,
  problem: reason,
})
