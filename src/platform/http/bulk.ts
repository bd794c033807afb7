/**
 * Requests that hold many of one kind: each element is validated and answered on its own, in the
 * order of the request, and a bad one does not fail the rest (OP-1, OP-2).
 */
import type { ValidateFunction } from 'ajv'
import type { FastifyRequest } from 'fastify'
import { limitKey, type RateClass } from './access.ts'
import { type Envelope, envelope } from './envelope.ts'
import { AppError, type ErrorBody, tooManyRequests } from './errors.ts'
import type { RateLimits } from './rate-limit.ts'
import { faultOf } from './validation.ts'

export type BulkOptions<Element, Answer> = {
  limits: RateLimits<RateClass>
  rate_class: RateClass
  isElement: ValidateFunction
  /** Of the answer to one element. */
  message: string
  run: (element: Element) => Promise<Answer>
}

/** It counts as many requests as it holds; the first was counted on the way in. */
export async function answerEach<Element, Answer>(
  request: FastifyRequest,
  candidates: readonly unknown[],
  { limits, rate_class, isElement, message, run }: BulkOptions<Element, Answer>,
): Promise<(Envelope<Answer> | ErrorBody)[]> {
  if (candidates.length > 1) {
    const more = candidates.length - 1
    const retryAfter = await limits.consume(rate_class, limitKey(request), more)
    if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
  }
  const answerOne = async (candidate: unknown) => {
    try {
      if (!isElement(candidate)) throw faultOf(isElement.errors)
      return envelope(message, await run(candidate as Element))
    } catch (error) {
      if (error instanceof AppError) return error.body
      request.log.error({ err: error }, 'an element of a bulk request failed')
      return { success: false as const, message: 'Internal server error' }
    }
  }
  return await Promise.all(candidates.map(answerOne))
}
