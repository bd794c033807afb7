/** Parsing of provider responses, which may have any shape. Only codes are passed on, never free text. */
import type { Http2Outcome } from '../../../platform/net/http2/outcome.ts'
import { retry, type SendResult } from './port.ts'

export type ProviderAnswer = Extract<Http2Outcome, { kind: 'answered' }>

/** Result of a request that got no response. */
export const outcomeOfUnanswered = (
  outcome: Exclude<Http2Outcome, { kind: 'answered' }>,
): SendResult => retry(outcome.reason, outcome.kind === 'ambiguous')

/** Result of an error response that was cut off before its reason, so that nothing can be blamed. */
export const cutOff = (retryAfter: number | undefined): SendResult =>
  retry('CUT_OFF', false, retryAfter)

/** @returns undefined if the text is not JSON */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

export const listIn = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

/** Accepts codes such as `BadDeviceToken` or `QUOTA_EXCEEDED` only; other text may be confidential. */
export const codeOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z_]{0,63}$/.test(value) ? value : undefined
