/**
 * Responses to Loki's clients: no content, or a line of text. They repeat a request after 429 and 500, and
 * drop it after 400. As Loki does, a request with rejected lines gets a 400 although the others are stored.
 */
import { type AppError, serverError } from '../../../../platform/http/errors.ts'
import type { Receipt } from '../../../intake/index.ts'
import type { OtlpResponse } from './otlp-response.ts'

const TEXT = 'text/plain; charset=utf-8'

/** @param receipt undefined for a request without lines */
export function lokiReceived(receipt: Receipt | undefined): OtlpResponse {
  if (receipt === undefined || receipt.processed === receipt.received) {
    return { status: 204, headers: {}, body: '' }
  }
  return { status: 400, headers: { 'content-type': TEXT }, body: `${receipt.message}\n` }
}

/** @param error undefined for an unexpected one */
export function lokiError(error: AppError | undefined): OtlpResponse {
  const { status, body } = error ?? serverError()
  const retryAfter = body.content?.['retry_after']
  return {
    status,
    headers: {
      'content-type': TEXT,
      ...(typeof retryAfter === 'number' && { 'retry-after': String(retryAfter) }),
      ...(status === 401 && { 'www-authenticate': 'Basic realm="vigil"' }),
    },
    body: `${body.message}\n`,
  }
}
