/**
 * Looks up SIM swaps at a mobile operator by CAMARA SIM Swap 2 (`{apiRoot}/sim-swap/v2`), with
 * two-legged authorization.
 *
 * `retrieve-date` returns all that is needed when it has a date. `check` is called only if it has
 * none, or if the client is not allowed to call it.
 */

import { randomUUID } from 'node:crypto'
import { known, type Lookup, unknown } from '../../../platform/lookup.ts'
import { withDeadline } from '../../../platform/net/deadline.ts'
import {
  failureOfStatus,
  type HttpJsonAnswer,
  requestJson,
} from '../../../platform/net/http-json.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { createOAuthClient, type OAuthClient, type OAuthClientOptions } from './oauth-client.ts'
import { isE164, SIM_SWAP_WINDOW_DAYS, type SimSwapFact, type SimSwapProvider } from './provider.ts'

export type CamaraOptions = Omit<OAuthClientOptions, 'scope'> & {
  /** Base URL of both operations, such as `https://operator.example/sim-swap/v2`. */
  readonly baseUrl: string
  readonly scope?: string
}

type Call = (operation: string, body: object) => Promise<Lookup<HttpJsonAnswer>>

/** CAMARA requires exactly one purpose (`dpv:`) for the processing of personal data. */
const DEFAULT_SCOPE = 'dpv:FraudPreventionAndDetection sim-swap:check sim-swap:retrieve-date'

const WINDOW_HOURS = SIM_SWAP_WINDOW_DAYS * 24

/**
 * @param options `timeoutMs` limits the whole look-up, which includes the token
 * @throws Error for an unreadable key
 */
export function createCamaraSimSwap(options: CamaraOptions): SimSwapProvider {
  const oauth = createOAuthClient({ ...options, scope: options.scope ?? DEFAULT_SCOPE })
  return async function lookupSimSwap(phone, signal) {
    if (!isE164(phone)) return unknown('not_applicable')
    return await withDeadline({ timeoutMs: options.timeoutMs, signal }, (deadline) => {
      const call: Call = (operation, body) => {
        const request = { operation, body: { phoneNumber: phone, ...body }, signal: deadline }
        return callWithToken(options, oauth, request)
      }
      return findSwap(call, options.now())
    })
  }
}

async function findSwap(call: Call, now: Date): Promise<Lookup<SimSwapFact>> {
  const answer = await call('retrieve-date', {})
  if (!answer.known) return answer
  const { status, body } = answer.value
  if (status === 403) return await checkWindow(call, undefined)
  if (status !== 200) return unknown(failureOf(answer.value))
  const change = readChange(body)
  if (change === undefined) return unknown('bad_answer')
  if (change.date !== null) {
    const recent_sim_swap = now.getTime() - change.date.getTime() <= SIM_SWAP_WINDOW_DAYS * DAY_MS
    return known({ recent_sim_swap, sim_swap_date: change.date.toISOString() })
  }
  // Null with a period means no swap within that number of days.
  const { monitored_days } = change
  if (monitored_days !== undefined && monitored_days >= SIM_SWAP_WINDOW_DAYS) {
    return known({ recent_sim_swap: false, sim_swap_date: null })
  }
  return await checkWindow(call, monitored_days)
}

/**
 * An operator that monitors less than the window answers OUT_OF_RANGE. A swap within the monitored
 * days is still recent, but without one the days before remain unknown.
 */
async function checkWindow(
  call: Call,
  monitoredDays: number | undefined,
): Promise<Lookup<SimSwapFact>> {
  const whole = await check(call, WINDOW_HOURS)
  if (whole !== 'out_of_range') return whole
  const hours = monitoredDays === undefined ? 24 : Math.max(1, monitoredDays * 24)
  const part = await check(call, hours)
  if (part === 'out_of_range') return unknown('not_applicable')
  return part.known && !part.value.recent_sim_swap ? unknown('not_applicable') : part
}

async function check(call: Call, maxAge: number): Promise<Lookup<SimSwapFact> | 'out_of_range'> {
  const answer = await call('check', { maxAge })
  if (!answer.known) return answer
  const { status, body } = answer.value
  if (status === 400 && codeOf(body) === 'OUT_OF_RANGE') return 'out_of_range'
  if (status !== 200) return unknown(failureOf(answer.value))
  const swapped = memberOf(body, 'swapped')
  if (typeof swapped !== 'boolean') return unknown('bad_answer')
  return known({ recent_sim_swap: swapped, sim_swap_date: null })
}

/** Sends one request, and repeats it with a new token when the first token is rejected. */
async function callWithToken(
  options: CamaraOptions,
  oauth: OAuthClient,
  { operation, body, signal }: { operation: string; body: object; signal: AbortSignal },
): Promise<Lookup<HttpJsonAnswer>> {
  for (let attempt = 1; ; attempt += 1) {
    const token = await oauth.getToken()
    if (!token.known) return token
    const answer = await requestJson({
      url: `${options.baseUrl.replace(/\/$/, '')}/${operation}`,
      method: 'POST',
      headers: {
        authorization: `Bearer ${token.value}`,
        'content-type': 'application/json',
        'x-correlator': randomUUID(),
      },
      body: JSON.stringify(body),
      timeoutMs: options.timeoutMs,
      signal,
    })
    if (!answer.known || answer.value.status !== 401) return answer
    oauth.forget(token.value)
    if (attempt === 2) return answer
  }
}

/** 404 and 422 mean a number of another operator, or one without this service. */
function failureOf({ status }: HttpJsonAnswer) {
  return status === 404 || status === 422 ? 'not_applicable' : failureOfStatus(status)
}

/** Returns undefined when the body is not a SimSwapInfo. */
function readChange(
  body: unknown,
): { date: Date | null; monitored_days: number | undefined } | undefined {
  const latest = memberOf(body, 'latestSimChange')
  const period = memberOf(body, 'monitoredPeriod')
  const monitored_days = typeof period === 'number' ? period : undefined
  if (latest === null) return { date: null, monitored_days }
  if (typeof latest !== 'string') return undefined
  const date = new Date(latest)
  return Number.isNaN(date.getTime()) ? undefined : { date, monitored_days }
}

const codeOf = (body: unknown) => memberOf(body, 'code')

function memberOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null) return undefined
  return (body as Record<string, unknown>)[name]
}
