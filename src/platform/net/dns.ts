/**
 * DNS questions under a deadline. Each look-up has a resolver (c-ares channel) of its own, because
 * cancelling one cancels everything that it has under way.
 */
import { Resolver } from 'node:dns/promises'
import { type Lookup, type LookupFailure, unknown } from '../lookup.ts'
import { type Deadline, withDeadline } from './deadline.ts'

export type DnsOptions = {
  /** Addresses with an optional port, `192.0.2.53:5353` or `[2001:db8::53]:53`; default the system's. */
  readonly servers?: readonly string[] | undefined
  /** The whole look-up, all its questions together. */
  readonly timeoutMs: number
  /** Attempts per server. */
  readonly tries?: number | undefined
}

export type AskDns = <T>(
  deadline: Partial<Deadline>,
  work: (resolver: Resolver) => Promise<Lookup<T>>,
) => Promise<Lookup<T>>

/** Throws at once when a server address is malformed; the function that it returns never rejects. */
export function createDns({ servers, timeoutMs, tries = 1 }: DnsOptions): AskDns {
  const openResolver = () => {
    const resolver = new Resolver({ timeout: timeoutMs, tries })
    if (servers !== undefined && servers.length > 0) resolver.setServers(servers)
    return resolver
  }
  openResolver()
  return (deadline, work) =>
    withDeadline({ timeoutMs, ...deadline }, async (signal) => {
      const resolver = openResolver()
      const cancel = () => resolver.cancel()
      signal.addEventListener('abort', cancel, { once: true })
      try {
        return await work(resolver)
      } catch (error) {
        return unknown(failureOfDns(error))
      } finally {
        signal.removeEventListener('abort', cancel)
      }
    })
}

/** The name does not exist (NXDOMAIN), or it exists without such records (NODATA). */
export function dnsAbsence(error: unknown): 'nxdomain' | 'nodata' | undefined {
  const code = codeOf(error)
  if (code === 'ENOTFOUND') return 'nxdomain'
  if (code === 'ENODATA') return 'nodata'
  return undefined
}

/** The class of failure behind an error of node:dns. */
export function failureOfDns(error: unknown): LookupFailure {
  switch (codeOf(error)) {
    case 'ETIMEOUT':
    case 'ECANCELLED':
      return 'timeout'
    case 'ECONNREFUSED':
      return 'unreachable'
    case 'EREFUSED':
      return 'refused'
    case 'ESERVFAIL':
      return 'server_error'
    case 'EBADNAME':
      return 'not_applicable'
    default:
      return 'bad_answer'
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
