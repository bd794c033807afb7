/**
 * Bulk requests: each element is validated and answered separately, in the order of the request, and
 * an invalid one does not fail the others (OP-1, OP-2).
 */
import type { FastifyRequest } from 'fastify'
import { type Envelope, envelope } from './envelope.ts'
import { AppError, type ErrorBody, invalidRequest } from './errors.ts'
import { faultOf, type Validate } from './validation.ts'

export type BulkOptions<Element, Answer> = {
  /** Name of the list in the request. */
  list: string
  isElement: Validate
  /** The message of a successful element's envelope. */
  message: string
  /** Elements with the same text are run one after the other, so that the first one wins. */
  identityOf?: (candidate: unknown) => string | undefined
  run: (element: Element) => Promise<Answer>
}

/** Each element counts as a request; the first one was counted before the body was read. */
export async function answerEach<Element, Answer>(
  request: FastifyRequest,
  candidates: readonly unknown[],
  { list, isElement, message, identityOf, run }: BulkOptions<Element, Answer>,
): Promise<(Envelope<Answer> | ErrorBody)[]> {
  if (candidates.length > request.count_max) {
    throw invalidRequest(
      list,
      `${list} must not have more than ${request.count_max} items, the rate limit of this operation`,
    )
  }
  if (candidates.length > 1) await request.count(candidates.length - 1)
  const answerOne = async (candidate: unknown) => {
    try {
      if (candidate instanceof AppError) throw candidate
      if (!isElement(candidate)) throw faultOf(isElement.errors)
      return envelope(message, await run(candidate as Element))
    } catch (error) {
      if (error instanceof AppError) return error.body
      request.log.error({ err: error }, 'an element of a bulk request failed')
      return { success: false as const, message: 'Internal server error' }
    }
  }
  const latest = new Map<string, Promise<unknown>>()
  const answerInTurn = async (candidate: unknown) => {
    const identity = identityOf?.(candidate)
    if (identity === undefined) return await answerOne(candidate)
    const before = latest.get(identity) ?? Promise.resolve()
    const answer = before.then(() => answerOne(candidate))
    latest.set(identity, answer)
    return await answer
  }
  return await Promise.all(candidates.map(answerInTurn))
}
