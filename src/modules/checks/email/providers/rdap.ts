/**
 * Looks up one domain by RDAP: query of RFC 9082, answer of RFC 9083, a few redirects, and back-off
 * for servers that limit their rate.
 */

import { known, type Lookup, unknown } from '../../../../platform/lookup.ts'
import {
  failureOfStatus,
  type HttpJsonAnswer,
  requestJson,
} from '../../../../platform/net/http-json.ts'
import { createOutwardAgent, type IsInward } from '../../../../platform/net/outward.ts'
import { HOUR_MS, MINUTE_MS } from '../../../../platform/time-units.ts'
import type { Registration } from '../facts.ts'

export type LookupRdap = (
  baseUrl: string,
  domain: string,
  deadline: { timeoutMs: number; signal: AbortSignal },
) => Promise<Lookup<Registration>>

const MAX_REDIRECTS = 3
const DEFAULT_BACK_OFF_MS = MINUTE_MS
const MAX_BACK_OFF_MS = HOUR_MS
const MAX_BYTES = 524_288

export type RdapOptions = {
  readonly now: () => Date
  /**
   * Trust in a server: `own` may redirect to inward addresses, `named` may have an inward address
   * itself, and a `stranger` must not lead to one at all.
   */
  readonly trustIn: (server: URL) => 'own' | 'named' | 'stranger'
  readonly isInward?: IsInward
}

/** A server that answered 429 gets no further request before the time that it named. */
export function createRdap({ now, trustIn, isInward }: RdapOptions): LookupRdap {
  const outward = createOutwardAgent(isInward)
  const closedUntil = new Map<string, number>()

  const isClosed = (origin: string): boolean => {
    const until = closedUntil.get(origin)
    if (until === undefined) return false
    if (until > now().getTime()) return true
    closedUntil.delete(origin)
    return false
  }

  return async function lookupRdap(baseUrl, domain, deadline) {
    let url = new URL(`domain/${domain}`, baseUrl)
    const trust = trustIn(url)
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
      if (isClosed(url.origin)) return unknown('rate_limited')
      const answer = await requestJson({
        url: url.href,
        headers: { accept: 'application/rdap+json, application/json' },
        maxBytes: MAX_BYTES,
        dispatcher: trust === 'own' || (trust === 'named' && redirects === 0) ? undefined : outward,
        ...deadline,
      })
      if (!answer.known) return answer
      if (answer.value.status === 429) {
        closedUntil.set(url.origin, now().getTime() + backOffMs(answer.value, now()))
        return unknown('rate_limited')
      }
      const location = redirectOf(answer.value)
      if (location === undefined) return readAnswer(answer.value)
      const next = followable(location, url)
      if (next === undefined) return unknown('bad_answer')
      url = next
    }
    return unknown('bad_answer')
  }
}

function redirectOf({ status, headers }: HttpJsonAnswer): string | undefined {
  return [301, 302, 303, 307, 308].includes(status) ? (headers['location'] ?? '') : undefined
}

/** Never follows a redirect from https to http. */
function followable(location: string, from: URL): URL | undefined {
  if (location === '' || !URL.canParse(location, from.href)) return undefined
  const target = new URL(location, from)
  const allowed = from.protocol === 'https:' ? ['https:'] : ['https:', 'http:']
  return allowed.includes(target.protocol) ? target : undefined
}

/** Retry-After is a number of seconds or a date (RFC 9110 section 10.2.3). */
function backOffMs({ headers }: HttpJsonAnswer, now: Date): number {
  const text = headers['retry-after'] ?? ''
  const delay = /^\d+$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now.getTime()
  if (Number.isNaN(delay)) return DEFAULT_BACK_OFF_MS
  return Math.min(Math.max(delay, 0), MAX_BACK_OFF_MS)
}

function readAnswer({ status, body }: HttpJsonAnswer): Lookup<Registration> {
  if (status === 404) return known({ status: 'not_registered', registered_at: null })
  if (status !== 200) return unknown(failureOfStatus(status))
  const members: { objectClassName?: unknown; events?: unknown } =
    typeof body === 'object' && body !== null ? body : {}
  if (members.objectClassName !== 'domain') return unknown('bad_answer')
  return known({ status: 'registered', registered_at: registrationDate(members.events) })
}

/** Returns null without a registration event that has a valid date. */
function registrationDate(events: unknown): string | null {
  for (const event of Array.isArray(events) ? (events as unknown[]) : []) {
    const { eventAction, eventDate }: { eventAction?: unknown; eventDate?: unknown } =
      typeof event === 'object' && event !== null ? event : {}
    if (eventAction !== 'registration' || typeof eventDate !== 'string') continue
    const date = new Date(eventDate)
    if (!Number.isNaN(date.getTime())) return date.toISOString()
  }
  return null
}
