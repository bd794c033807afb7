/**
 * Batches whose elements are examined one by one: those that are refused are counted, the message
 * says why the first was, and only a batch with nothing good in it is refused as a whole.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { invalidRequest } from '../../platform/http/errors.ts'

/** @param field path inside of the element; '' for the element itself */
export type ElementFault = { field: string; problem: string }

export type Examined = {
  /** Elements that are good: at least one. */
  processed: number
  /** Of the answer. */
  message: string
}

export type Batch = {
  /** Member of the body that holds the elements. */
  list: string
  elements: readonly unknown[]
  /** Keeps the element, or answers what is wrong with it. */
  take: (element: unknown, index: number) => ElementFault | undefined
  /** Of the answer when nothing was refused. */
  message: string
}

/** Other requests get their turn in between: large errors take their time to be grouped. */
const TURN_MAX_MS = 4

/** @throws AppError 400 naming the first element and its field, when none is good */
export async function examine({ list, elements, take, message }: Batch): Promise<Examined> {
  let refused = 0
  let first: ElementFault | undefined
  let turnBegan = performance.now()
  for (const [index, element] of elements.entries()) {
    const fault = take(element, index)
    if (fault !== undefined) {
      refused += 1
      first ??= placed(`${list}.${index}`, fault)
    }
    if (performance.now() - turnBegan > TURN_MAX_MS) {
      await nextTurn()
      turnBegan = performance.now()
    }
  }
  const processed = elements.length - refused
  if (first === undefined) return { processed, message }
  const reason = `${first.field} ${first.problem}`
  if (processed === 0) throw invalidRequest(first.field, reason)
  const told = `${message}; ${refused} of ${elements.length} refused, the first: ${reason}`
  return { processed, message: told }
}

const placed = (element: string, { field, problem }: ElementFault): ElementFault => ({
  field: field === '' ? element : `${element}.${field}`,
  problem,
})
