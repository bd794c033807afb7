/**
 * Counts requests against the rate limits of their route. Anyone can copy a public key from a page, so
 * public keys have two separate limits: one per client network, and one per key.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { networkOf } from '../../platform/http/client-ip.ts'
import { tooManyRequests } from '../../platform/http/errors.ts'
import type { RateLimits } from '../../platform/http/rate-limit.ts'
import type { Principal } from '../keys/index.ts'
import type { RateClass } from './rate-classes.ts'

/** @throws AppError 429 */
type CountRequests = (request: FastifyRequest, requests: number, key?: string) => Promise<void>

export function createCountRequests(limits: RateLimits<RateClass>): CountRequests {
  const hold = createHold()
  const warn = createProxyWarning()
  return async (request, requests, key) => {
    const { rate_class, network_rate_class } = request.routeOptions.config
    if (rate_class === undefined) return
    const { caller, ip } = request
    if (caller === undefined || !('key_id' in caller) || caller.kind !== 'public') {
      const retryAfter = await limits.consume(rate_class, key ?? limitKey(request), requests)
      if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
      return
    }
    const { org_id, key_id } = caller
    let retryAfter: number | undefined
    // The network comes first: what its limit refuses must not use up the limit of the key.
    if (network_rate_class !== undefined) {
      const network = `${org_id}:${networkOf(ip)}`
      retryAfter = await limits.consume(network_rate_class, network, requests)
      if (retryAfter !== undefined) warn(request)
    }
    retryAfter ??= await limits.consume(rate_class, key_id, requests)
    if (retryAfter === undefined) return
    await hold()
    throw tooManyRequests(retryAfter)
  }
}

/** The organization and its mode, the user, or the network. */
function limitKey({ caller, ip }: FastifyRequest): string {
  if (!caller) return networkOf(ip)
  return 'key_id' in caller ? modeOf(caller) : caller.user_id
}

const modeOf = ({ org_id, mode }: Principal): string => `${org_id}:${mode}`

const HOLD_MS = 1000
const HELD_MAX = 1000

/**
 * Delays the refusals of public keys. A copy of one can be in the hands of a sender that ignores 429,
 * and connections that wait for their response send nothing. Beyond the limit, nothing is delayed.
 */
function createHold(): () => Promise<void> {
  let held = 0
  return async () => {
    if (held >= HELD_MAX) return
    held += 1
    await sleep(HOLD_MS)
    held -= 1
  }
}

/** Logs once that a proxy seems to stand in front of clients that count as one network. */
function createProxyWarning(): (request: FastifyRequest) => void {
  let isLogged = false
  return ({ headers, ips, log }) => {
    const isForwarded = (ips?.length ?? 0) > 1
    if (isLogged || isForwarded || headers['x-forwarded-for'] === undefined) return
    isLogged = true
    log.warn(
      'the rate limit of a client network refused a request whose X-Forwarded-For is not trusted; if a proxy sends it, set VIGIL_TRUSTED_PROXIES, because all clients behind it count as one network',
    )
  }
}
