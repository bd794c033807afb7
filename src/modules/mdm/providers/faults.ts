/** Converts error replies of Google to faults. */
import type { LookupFailure } from '../../../platform/lookup.ts'
import { retryAfterSeconds } from '../../../platform/net/retry-after.ts'
import { membersOf } from './messages.ts'
import type { ProviderFault } from './port.ts'

export type BadReply = {
  status: number
  retry_after: string | undefined
  body: unknown
}

type Context = {
  /** The request changes something, so without a clear answer it may have been carried out. */
  is_change: boolean
  /** Secrets of the request, which are removed from messages that repeat them. */
  secrets: readonly string[]
  now: Date
}

const MESSAGE_MAX_CHARS = 300
const RETRY_AFTER_MAX_S = 3600
const LIMIT_REASONS = ['rateLimitExceeded', 'userRateLimitExceeded', 'quotaExceeded']

export const unavailable = (message: string, isAmbiguous: boolean): ProviderFault => ({
  kind: 'unavailable',
  message,
  is_ambiguous: isAmbiguous,
})

/** `{error: {code, message, status, details}}` (https://cloud.google.com/apis/design/errors). */
export function faultOfReply(
  { status, retry_after, body }: BadReply,
  context: Context,
): ProviderFault {
  const message = messageIn(body, context.secrets)
  const suffix = message === undefined ? '.' : `: ${message}`
  if (isLimit(status, body)) {
    const retry_after_s = retryAfterOf(retry_after, body, context.now)
    return {
      kind: 'rate_limited',
      message: `Google received too many requests${suffix}`,
      ...(retry_after_s !== undefined && { retry_after_s }),
      is_ambiguous: false,
    }
  }
  if (status === 401 || status === 403) {
    return definite('refused', `Google refused this to the service account${suffix}`)
  }
  if (status === 404) return definite('not_found', `Google does not have this${suffix}`)
  // A request that timed out at Google (408) may still be processed there.
  const isClientFault = status >= 400 && status < 500 && status !== 408
  if (isClientFault) return definite('rejected', `Google rejected this${suffix}`)
  return unavailable(`Google answered with status ${status}${suffix}`, context.is_change)
}

/** The fault of a request without a complete answer. */
export function faultOfSilence(reason: LookupFailure, isChange: boolean): ProviderFault {
  return unavailable(SILENCES[reason] ?? 'Google gave an invalid answer.', isChange)
}

const SILENCES: Partial<Record<LookupFailure, string>> = {
  timeout: 'Google did not answer in time.',
  unreachable: 'Google cannot be reached.',
}

/** The fault of a request that was not sent for lack of an access token. */
export function faultOfToken(reason: LookupFailure, detail: string | undefined): ProviderFault {
  const suffix = detail === undefined ? '.' : `: ${asSentence(detail)}`
  if (reason === 'refused') {
    return definite('refused', `Google does not accept the key of the service account${suffix}`)
  }
  if (reason === 'rate_limited') {
    return definite('rate_limited', `Google received too many requests for access tokens${suffix}`)
  }
  return unavailable(`Google issued no access token${suffix}`, false)
}

export const definite = (kind: ProviderFault['kind'], message: string): ProviderFault => ({
  kind,
  message,
  is_ambiguous: false,
})

function isLimit(status: number, body: unknown): boolean {
  if (status === 429) return true
  const error = errorIn(body)
  if (status !== 403) return false
  const reasons = list(error['errors']).map((each) => textIn(each, 'reason'))
  return (
    error['status'] === 'RESOURCE_EXHAUSTED' || reasons.some((one) => LIMIT_REASONS.includes(one))
  )
}

/** The longer of the header and of the detail that Google's APIs have for it, in seconds. */
function retryAfterOf(header: string | undefined, body: unknown, now: Date): number | undefined {
  const details = list(errorIn(body)['details'])
    .map(membersOf)
    .filter((detail) => textIn(detail, '@type').endsWith('/google.rpc.RetryInfo'))
    .map((detail) => /^(\d{1,9})(?:\.\d+)?s$/.exec(textIn(detail, 'retryDelay'))?.[1])
    .map((seconds) => (seconds === undefined ? undefined : Number(seconds) + 1))
  const all = [retryAfterSeconds(header ?? null, now), ...details].filter(
    (each) => each !== undefined,
  )
  return all.length === 0 ? undefined : Math.min(Math.max(...all), RETRY_AFTER_MAX_S)
}

function messageIn(body: unknown, secrets: readonly string[]): string | undefined {
  const { message } = errorIn(body)
  if (typeof message !== 'string' || message.trim() === '') return undefined
  return asSentence(without(secrets, message))
}

const without = (secrets: readonly string[], text: string): string =>
  secrets.filter((secret) => secret !== '').reduce((left, one) => left.replaceAll(one, '…'), text)

function asSentence(text: string): string {
  const line = text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  const bounded = line.length > MESSAGE_MAX_CHARS ? `${line.slice(0, MESSAGE_MAX_CHARS)}…` : line
  const stored = bounded.toWellFormed()
  return /[.!?…]$/.test(stored) ? stored : `${stored}.`
}

const errorIn = (body: unknown): Readonly<Record<string, unknown>> =>
  membersOf(membersOf(body)['error'])

const textIn = (value: unknown, member: string): string => {
  const text = membersOf(value)[member]
  return typeof text === 'string' ? text : ''
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
