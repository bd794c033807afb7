/**
 * Whether and since when a domain is registered: RDAP where the registry has it, else WHOIS.
 */
import { domainToASCII } from 'node:url'
import { type Lookup, unknown } from '../../../../platform/lookup.ts'
import { withDeadline } from '../../../../platform/net/deadline.ts'
import { isInwardHost } from '../../../../platform/net/outward.ts'
import type { Registration } from '../facts.ts'
import { createRdap, type RdapOptions } from './rdap.ts'
import { createRdapServers, isIanaFile } from './rdap-servers.ts'
import { createWhois } from './whois.ts'

export type DomainRegistrationOptions = {
  /** IANA's `rdap/dns.json` or a stand-in; left out, the shipped table of RDAP servers stays. */
  readonly bootstrapUrl?: string | undefined
  /** `whois.iana.org` or a stand-in, with an optional `:port`; left out, there is no WHOIS. */
  readonly whoisHost?: string | undefined
  /** The whole look-up, redirects and referral included. */
  readonly timeoutMs: number
  readonly now: () => Date
}

/** `registrableDomain`: the part that a registrant can own, `shop.co.uk`, in A-labels or Unicode. */
type LookupRegistration = (
  registrableDomain: string,
  signal?: AbortSignal,
) => Promise<Lookup<Registration>>

export type DomainRegistration = {
  readonly lookupRegistration: LookupRegistration
  /** Fetches the table of RDAP servers now; false when that failed. Look-ups do it once a day. */
  readonly refreshServers: () => Promise<boolean>
}

export function createDomainRegistration(options: DomainRegistrationOptions): DomainRegistration {
  const servers = createRdapServers(options.bootstrapUrl)
  const lookupRdap = createRdap({ now: options.now, trustIn: trustBy(options.bootstrapUrl) })
  const lookupWhois =
    options.whoisHost === undefined
      ? undefined
      : createWhois({ whoisHost: options.whoisHost, now: options.now })
  const { timeoutMs } = options
  return {
    refreshServers: () => servers.refresh(),
    async lookupRegistration(registrableDomain, callerSignal) {
      // domainToASCII drops line breaks instead of refusing them.
      const domain = /\s/.test(registrableDomain) ? '' : domainToASCII(registrableDomain)
      if (!/^[a-z0-9_-]+(?:\.[a-z0-9_-]+)+$/.test(domain)) return unknown('not_applicable')
      return await withDeadline({ timeoutMs, signal: callerSignal }, async (signal) => {
        const server = await servers.find(domain)
        if (!server.known) return server
        const { value: url } = server
        if (url !== null) return await lookupRdap(url, domain, { timeoutMs, signal })
        return (await lookupWhois?.(domain, signal)) ?? unknown('not_configured')
      })
    },
  }
}

/**
 * With a file of the operator's own, what it names is asked wherever it is, and what stands in it as
 * an inward address, or on the host of the file, may send on to its like.
 */
function trustBy(bootstrapUrl: string | undefined): RdapOptions['trustIn'] {
  if (bootstrapUrl === undefined || isIanaFile(bootstrapUrl)) return () => 'stranger'
  const { hostname } = new URL(bootstrapUrl)
  return (server) =>
    server.hostname === hostname || isInwardHost(server.hostname) ? 'own' : 'named'
}
