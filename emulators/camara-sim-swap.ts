/** The two operations of CAMARA SIM Swap 2.1.0 as pure functions of scenario, grant and request. */
import { DAY_MS, HOUR_MS } from '../src/platform/time-units.ts'
import type { CamaraScenario, Moment, Phone } from './camara-scenario.ts'
import type { Grant } from './camara-token.ts'
import type { HttpReply } from './http-server.ts'

export type Operation = 'check' | 'retrieve-date'

const PHONE_NUMBER = /^\+[1-9][0-9]{4,14}$/
const DEFAULT_MAX_AGE_HOURS = 240
const MAX_MAX_AGE_HOURS = 2_400

/** The messages are those of the examples in the API description. */
const ERRORS = {
  INVALID_ARGUMENT: [400, 'Client specified an invalid argument, request body or query param.'],
  OUT_OF_RANGE: [400, 'Client specified an invalid range.'],
  UNAUTHENTICATED: [
    401,
    'Request not authenticated due to missing, invalid, or expired credentials. A new authentication is required.',
  ],
  PERMISSION_DENIED: [403, 'Client does not have sufficient permissions to perform this action.'],
  NOT_FOUND: [404, 'The specified resource is not found.'],
  IDENTIFIER_NOT_FOUND: [404, 'Device identifier not found.'],
  METHOD_NOT_ALLOWED: [405, 'The request method is not allowed for this resource.'],
  SERVICE_NOT_APPLICABLE: [422, 'The service is not available for the provided identifier.'],
  MISSING_IDENTIFIER: [422, 'The device cannot be identified.'],
  UNNECESSARY_IDENTIFIER: [422, 'The device is already identified by the access token.'],
  TOO_MANY_REQUESTS: [429, 'Rejected due to request rate limit overpassed.'],
  INTERNAL: [500, 'Unknown server error. Typically a server bug.'],
} as const satisfies Record<string, readonly [number, string]>
export type ErrorCode = keyof typeof ERRORS

/** Returns a reply with the error body `{status, code, message}`. */
export function failure(code: ErrorCode, detail?: string): HttpReply {
  const [status, message] = ERRORS[code]
  return { status, body: { status, code, message: detail ?? message } }
}

export type SimSwapRequest = {
  readonly operation: Operation
  readonly grant: Grant
  /** The parsed JSON; undefined when the body is not JSON. */
  readonly body: unknown
  readonly now: Date
}

export function answerSimSwap(
  scenario: CamaraScenario,
  { operation, grant, body, now }: SimSwapRequest,
): HttpReply {
  const allowed = ['sim-swap', `sim-swap:${operation}`]
  if (!grant.scopes.some((scope) => allowed.includes(scope))) return failure('PERMISSION_DENIED')
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return failure('INVALID_ARGUMENT')
  }
  const { phoneNumber, maxAge }: { phoneNumber?: unknown; maxAge?: unknown } = body
  const number = identify(grant, phoneNumber)
  if (typeof number === 'object') return number
  const phone = Object.hasOwn(scenario.phones, number) ? scenario.phones[number] : undefined
  if (operation === 'check') return check(scenario, phone, { maxAge, now })
  return subscriptionFailure(phone) ?? retrieveDate(scenario, phone ?? {}, now)
}

/** Returns the phone number of the request, or the error reply. */
function identify(grant: Grant, phoneNumber: unknown): string | HttpReply {
  if (phoneNumber === undefined) return grant.phone_number ?? failure('MISSING_IDENTIFIER')
  if (typeof phoneNumber !== 'string' || !PHONE_NUMBER.test(phoneNumber)) {
    return failure('INVALID_ARGUMENT')
  }
  return grant.phone_number === undefined ? phoneNumber : failure('UNNECESSARY_IDENTIFIER')
}

function subscriptionFailure(phone: Phone | undefined): HttpReply | undefined {
  if (phone === undefined) return failure('IDENTIFIER_NOT_FOUND')
  return phone.applicable === false ? failure('SERVICE_NOT_APPLICABLE') : undefined
}

function check(
  scenario: CamaraScenario,
  phone: Phone | undefined,
  { maxAge = DEFAULT_MAX_AGE_HOURS, now }: { maxAge: unknown; now: Date },
): HttpReply {
  if (typeof maxAge !== 'number' || !Number.isInteger(maxAge) || maxAge < 1) {
    return failure('INVALID_ARGUMENT')
  }
  if (maxAge > MAX_MAX_AGE_HOURS) return failure('OUT_OF_RANGE')
  const days = scenario.monitored_period_days
  if (days !== undefined && maxAge > days * 24) {
    const limit = `Check monitor period could not exceed local regulations (${days} days)`
    return failure('OUT_OF_RANGE', limit)
  }
  const refusal = subscriptionFailure(phone)
  if (refusal !== undefined) return refusal
  const change = latestChange(phone ?? {}, now)
  const swapped = change !== undefined && now.getTime() - change.getTime() <= maxAge * HOUR_MS
  return { status: 200, body: { swapped } }
}

function retrieveDate(scenario: CamaraScenario, phone: Phone, now: Date): HttpReply {
  const change = latestChange(phone, now)
  if (change === undefined) return { status: 200, body: { latestSimChange: null } }
  const monitoredPeriod = scenario.monitored_period_days
  const isBeyondPeriod =
    monitoredPeriod !== undefined && now.getTime() - change.getTime() > monitoredPeriod * DAY_MS
  if (!isBeyondPeriod) return { status: 200, body: { latestSimChange: change.toISOString() } }
  const isPeriodShown = scenario.tell_monitored_period !== false
  return { status: 200, body: { latestSimChange: null, ...(isPeriodShown && { monitoredPeriod }) } }
}

/** Returns the date of the last swap, else of the activation, which counts as a swap too. */
function latestChange(phone: Phone, now: Date): Date | undefined {
  const moment = phone.last_swap ?? phone.activated
  return moment === undefined ? undefined : dateOf(moment, now)
}

function dateOf(moment: Moment, now: Date): Date {
  if (typeof moment === 'string') return new Date(moment)
  return new Date(now.getTime() - moment * HOUR_MS)
}
