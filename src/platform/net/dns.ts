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
  const given = servers !== undefined && servers.length > 0 ? servers : undefined
  const openResolver = (wholeMs: number) => {
    const count = given?.length ?? new Resolver().getServers().length
    const resolver = new Resolver({ timeout: attemptMs(wholeMs, count, tries), tries })
    if (given !== undefined) resolver.setServers(given)
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
 * The share of the first attempt at each server, so that all attempts fit into the whole: c-ares
 * waits twice as long in each further round over the servers, and Node looks at its clock only once
 * per share, so that any attempt but the last can take two.
 */
function attemptMs(wholeMs: number, servers: number, tries: number): number {
  const attempts = Math.max(1, servers) * (2 ** tries - 1)
  return Math.max(1, Math.floor(attempts === 1 ? wholeMs : wholeMs / (2 * attempts)))
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
