/** From what a provider answered, while a request of a client waits for it, to what the client gets. */
import { AppError, invalidRequest, tooManyRequests } from '../../../platform/http/errors.ts'
import type { Answer } from './port.ts'

const RETRY_AFTER_S = 60

/**
 * @param field of the client's request that the provider would reject
 * @throws AppError 400, 429 or 500
 */
export function valueOf<T>(answer: Answer<T>, field: string): T {
  if (answer.ok) return answer.value
  const { kind, message, retry_after_s } = answer.fault
  switch (kind) {
    case 'rejected':
    case 'not_found':
      throw invalidRequest(field, message)
    case 'rate_limited':
      throw tooManyRequests(retry_after_s ?? RETRY_AFTER_S)
    case 'refused':
    case 'unavailable':
      throw new AppError(500, { message: `${message} Nothing was changed; try again shortly` })
  }
}
