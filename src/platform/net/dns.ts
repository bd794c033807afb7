/**
 * DNS queries under a deadline. Each look-up has a separate resolver (c-ares channel), because
 * canceling a resolver cancels all of its queries.
 */
import { Resolver } from 'node:dns/promises'
import { type Lookup, type LookupFailure, unknown } from '../lookup.ts'
import { type Deadline, withDeadline } from './deadline.ts'

export type DnsOptions = {
  /**
   * Addresses with an optional port, `192.0.2.53:5353` or `[2001:db8::53]:53`. By default the servers
   * of the system.
   */
  readonly servers?: readonly string[] | undefined
  /** For the whole look-up, with all its queries. */
  readonly timeoutMs: number
  /** Attempts per server. */
  readonly tries?: number | undefined
}

export type QueryDns = <T>(
  deadline: Partial<Deadline>,
  work: (resolver: Resolver) => Promise<Lookup<T>>,
) => Promise<Lookup<T>>

/** Throws when a server address is malformed; the returned function never rejects. */
export function createDns({ servers, timeoutMs, tries = 1 }: DnsOptions): QueryDns {
  const configured = servers !== undefined && servers.length > 0 ? servers : undefined
  const openResolver = (wholeMs: number) => {
    const count = configured?.length ?? new Resolver().getServers().length
    const resolver = new Resolver({ timeout: attemptMs(wholeMs, count, tries), tries })
    if (configured !== undefined) resolver.setServers(configured)
    return resolver
  }
  openResolver(timeoutMs)
  return (deadline, work) =>
    withDeadline({ timeoutMs, ...deadline }, async (signal) => {
      const resolver = openResolver(deadline.timeoutMs ?? timeoutMs)
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

/**
 * The timeout of the first attempt at each server, so that all attempts fit into the whole time:
 * c-ares doubles the timeout in each further round over the servers, and Node checks its clock only
 * once per timeout, so that any attempt except the last can take two of them.
 */
function attemptMs(wholeMs: number, servers: number, tries: number): number {
  const attempts = Math.max(1, servers) * (2 ** tries - 1)
  return Math.max(1, Math.floor(attempts === 1 ? wholeMs : wholeMs / (2 * attempts)))
}

/** Whether the name does not exist (NXDOMAIN), or exists without such records (NODATA). */
export function dnsAbsence(error: unknown): 'nxdomain' | 'nodata' | undefined {
  const code = codeOf(error)
  if (code === 'ENOTFOUND') return 'nxdomain'
  if (code === 'ENODATA') return 'nodata'
  return undefined
}

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
