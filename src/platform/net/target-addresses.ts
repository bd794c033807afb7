/**
 * All addresses of a name, by c-ares: not by getaddrinfo, which occupies one of the few threads that
 * the whole process has for files and hashing, and which knows search domains and /etc/hosts. Kept
 * for as long as the answer allows, a minute at most, so that what was judged cannot grow old.
 */
import type { RecordWithTtl } from 'node:dns'
import { known, type Lookup } from '../lookup.ts'
import { createDns, dnsAbsence } from './dns.ts'
import { createSingleFlight } from './single-flight.ts'

export type Resolution =
  /** IPv4 first; at least one. */
  | { readonly kind: 'addresses'; readonly addresses: readonly string[] }
  /** The name servers say that there are none. */
  | { readonly kind: 'none' }
  | { readonly kind: 'failed' }

/** Never rejects, and is done within the time given. */
export type ResolveTarget = (name: string) => Promise<Resolution>

export type TargetAddressesOptions = {
  /** As in `DnsOptions`. */
  readonly servers: readonly string[] | undefined
  readonly timeout_ms: number
  /** A clock that only goes forward, in milliseconds; another one only for tests. */
  readonly now_ms?: (() => number) | undefined
}

const FOUND_MS_MAX = 60_000
const NOT_FOUND_MS = 10_000
const NAMES_MAX = 10_000
/** More is no host that anybody would run. */
const ADDRESSES_MAX = 64

export function createTargetAddresses(options: TargetAddressesOptions): ResolveTarget {
  const { servers, timeout_ms, now_ms = () => performance.now() } = options
  const askDns = createDns({ servers, timeoutMs: timeout_ms, tries: 2 })
  const share = createSingleFlight<Resolution>()
  const kept = new Map<string, { resolution: Resolution; until_ms: number }>()

  const ask = (question: 'resolve4' | 'resolve6', name: string) =>
    askDns<RecordWithTtl[]>({}, async (resolver) => {
      try {
        return known(await resolver[question](name, { ttl: true }))
      } catch (error) {
        if (dnsAbsence(error) === undefined) throw error
        return known([])
      }
    })

  const resolve = async (name: string): Promise<Resolution> => {
    const answers = await Promise.all([ask('resolve4', name), ask('resolve6', name)])
    const { resolution, keep_ms } = resolutionOf(answers)
    const [oldest] = kept.keys()
    if (kept.size >= NAMES_MAX && oldest !== undefined) kept.delete(oldest)
    kept.delete(name)
    if (keep_ms > 0) kept.set(name, { resolution, until_ms: now_ms() + keep_ms })
    return resolution
  }

  return async (name) => {
    // RFC 6761: nobody asks DNS about it. Whether it may be called is for the allow list to say.
    if (name === 'localhost' || name.endsWith('.localhost')) return LOOPBACK
    const found = kept.get(name)
    if (found !== undefined && found.until_ms > now_ms()) return found.resolution
    return await share(name, () => resolve(name))
  }
}

const LOOPBACK: Resolution = { kind: 'addresses', addresses: ['127.0.0.1', '::1'] }

/** One family that cannot be learnt does no harm: only addresses that were seen are connected to. */
function resolutionOf(answers: readonly Lookup<RecordWithTtl[]>[]): {
  resolution: Resolution
  keep_ms: number
} {
  const records = answers.flatMap((answer) => (answer.known ? answer.value : []))
  const [first] = records
  if (records.length > ADDRESSES_MAX) {
    return { resolution: { kind: 'failed' }, keep_ms: NOT_FOUND_MS }
  }
  if (first === undefined) {
    const kind = answers.every((answer) => answer.known) ? 'none' : 'failed'
    return { resolution: { kind }, keep_ms: NOT_FOUND_MS }
  }
  const ttlSeconds = Math.min(...records.map(({ ttl }) => ttl))
  const addresses = records.map(({ address }) => address)
  return {
    resolution: { kind: 'addresses', addresses },
    keep_ms: Math.min(FOUND_MS_MAX, ttlSeconds * 1000),
  }
}
