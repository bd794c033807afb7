/** Converts an answer of the provider to the answer of the client's request that waits for it. */
import { AppError, invalidRequest, tooManyRequests } from '../../../platform/http/errors.ts'
import type { Answer } from './port.ts'

const RETRY_AFTER_S = 60

/**
 * @param field the field of the client's request that the provider would reject
 * @throws AppError 400, 429 or 500
 */
export function valueOf<T>(answer: Answer<T>, field: string): T {
  if (answer.ok) return answer.value
  const { kind, message, retry_after_s, is_ambiguous } = answer.fault
  switch (kind) {
    case 'rejected':
    case 'not_found':
      throw invalidRequest(field, message)
    case 'rate_limited':
      throw tooManyRequests(retry_after_s ?? RETRY_AFTER_S)
    case 'refused':
    case 'unavailable': {
      const state = is_ambiguous ? 'The change may have been made' : 'Nothing was changed'
      throw new AppError(500, { message: `${message} ${state}; try again later` })
    }
  }
}
