/**
 * Resolves all addresses of a name through c-ares. getaddrinfo would occupy one of the few threads
 * that the process also needs for files, and would apply search domains and /etc/hosts.
 */
import type { RecordWithTtl } from 'node:dns'
import { known, type Lookup } from '../lookup.ts'
import { createDns, dnsAbsence } from './dns.ts'
import { createSingleFlight } from './single-flight.ts'

export type Resolution =
  /** At least one address, IPv4 first. */
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  /** The name servers report no addresses. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed' }

/** Never rejects, and resolves within `timeout_ms`. */
export type ResolveTarget = (name: string) => Promise<Resolution>

export type TargetAddressesOptions = {
  /** See `DnsOptions`. */
  readonly servers: readonly string[] | undefined
  readonly timeout_ms: number
  /** A monotonic clock in milliseconds; only tests replace it. */
  readonly now_ms?: (() => number) | undefined
}

const FOUND_MS_MAX = 60_000
const NOT_FOUND_MS = 10_000
const NAMES_MAX = 10_000
/** No legitimate host has more. */
const ADDRESSES_MAX = 64

export function createTargetAddresses(options: TargetAddressesOptions): ResolveTarget {
  const { servers, timeout_ms, now_ms = () => performance.now() } = options
  const queryDns = createDns({ servers, timeoutMs: timeout_ms, tries: 2 })
  const share = createSingleFlight<Resolution>()
  const cache = new Map<string, { resolution: Resolution; until_ms: number }>()

  const query = (method: 'resolve4' | 'resolve6', name: string) =>
    queryDns<RecordWithTtl[]>({}, async (resolver) => {
      try {
        return known(await resolver[method](name, { ttl: true }))
      } catch (error) {
        if (dnsAbsence(error) === undefined) throw error
        return known([])
      }
    })

  const resolve = async (name: string): Promise<Resolution> => {
    const answers = await Promise.all([query('resolve4', name), query('resolve6', name)])
    const { resolution, ttl_ms } = resolutionOf(answers)
    const [oldest] = cache.keys()
    if (cache.size >= NAMES_MAX && oldest !== undefined) cache.delete(oldest)
    cache.delete(name)
    if (ttl_ms > 0) cache.set(name, { resolution, until_ms: now_ms() + ttl_ms })
    return resolution
  }

  return async (name) => {
    // RFC 6761: not a DNS name. The allow list decides whether it may be called.
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK
    const found = cache.get(name)
    if (found !== undefined && found.until_ms > now_ms()) return found.resolution
    return await share(name, () => resolve(name))
  }
}

const LOOPBACK: Resolution = { kind: 'addresses', addresses: ['127.0.0.1', '::1'] }

/** A failed query for one family does no harm: only the resolved addresses are connected to. */
function resolutionOf(answers: readonly Lookup<RecordWithTtl[]>[]): {
  resolution: Resolution
  ttl_ms: number
} {
  const records = answers.flatMap((answer) => (answer.known ? answer.value : []))
  const [first] = records
  if (records.length > ADDRESSES_MAX) {
    return { resolution: { kind: 'failed' }, ttl_ms: NOT_FOUND_MS }
  }
  if (first === undefined) {
    const kind = answers.every((answer) => answer.known) ? 'none' : 'failed'
    return { resolution: { kind }, ttl_ms: NOT_FOUND_MS }
  }
  const ttlSeconds = Math.min(...records.map(({ ttl }) => ttl))
  const addresses = records.map(({ address }) => address)
  return {
    resolution: { kind: 'addresses', addresses },
    ttl_ms: Math.min(FOUND_MS_MAX, ttlSeconds * 1000),
  }
}
