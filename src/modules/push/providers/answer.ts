/** Reading what providers answer: nothing of it is taken for granted, and only codes are passed on. */
import type { Http2Outcome } from '../../../platform/net/http2/outcome.ts'
import { retry, type SendResult } from './port.ts'

export type ProviderAnswer = Extract<Http2Outcome, { kind: 'answered' }>

/** Of a request that was not answered. */
export const outcomeOfSilence = (
  outcome: Exclude<Http2Outcome, { kind: 'answered' }>,
): SendResult => retry(outcome.reason, outcome.kind === 'ambiguous')

/** A refusal, of which the part is missing that says why: nothing was accepted, nobody is to blame. */
export const cutOff = (retryAfter: number | undefined): SendResult =>
  retry('CUT_OFF', false, retryAfter)

/** Undefined for what is no JSON. */
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

/** A word such as `BadDeviceToken` or `QUOTA_EXCEEDED`; anything else may be something confidential. */
export const codeOf = (value: unknown): string | undefined =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z_]{0,63}$/.test(value) ? value : undefined
