/**
 * Counts requests against the rate limits of their route. Anyone can copy a public key from a page, so
 * public keys have two separate limits: one per client network, and one per key.
 */
import type { FastifyRequest } from 'fastify'
import { networkOf } from '../../platform/http/client-ip.ts'
import { tooManyRequests } from '../../platform/http/errors.ts'
import type { RateLimits } from '../../platform/http/rate-limit.ts'
import type { Principal } from '../keys/index.ts'
import type { Caller } from './declaration.ts'
import type { RateClass } from './rate-classes.ts'

export type RequestCount = {
  /** @throws AppError 429 */
  count: (request: FastifyRequest, requests: number, key?: string) => Promise<void>
}

export function createRequestCount(limits: RateLimits<RateClass>): RequestCount {
  const warn = createProxyWarning()
  return {
    count: async (request, requests, key = limitKey(request)) => {
      const { rate_class, network_rate_class } = request.routeOptions.config
      if (rate_class === undefined) return
      let retryAfter: number | undefined
      // The network comes first: what its limit refuses must not use up the limit of the key.
      if (network_rate_class !== undefined && isPublic(request.caller)) {
        const network = `${request.caller.org_id}:${networkOf(request.ip)}`
        retryAfter = await limits.consume(network_rate_class, network, requests)
        if (retryAfter !== undefined) warn(request)
      }
      retryAfter ??= await limits.consume(rate_class, key, requests)
      if (retryAfter !== undefined) throw tooManyRequests(retryAfter)
    },
  }
}

export const isPublic = (caller: Caller | undefined): caller is Principal & { kind: 'public' } =>
  caller !== undefined && 'key_id' in caller && caller.kind === 'public'

/** The public key, the organization and its mode, the portal, the user, or the network. */
function limitKey({ caller, ip }: FastifyRequest): string {
  if (!caller) return networkOf(ip)
  if ('link_id' in caller) return caller.portal_id
  if (!('key_id' in caller)) return caller.user_id
  return isPublic(caller) ? caller.key_id : `${caller.org_id}:${caller.mode}`
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
