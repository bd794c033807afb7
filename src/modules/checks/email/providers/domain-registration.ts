/** Looks up whether and when a domain was registered: by RDAP where the registry has it, else WHOIS. */
import { domainToASCII } from 'node:url'
import { type Lookup, unknown } from '../../../../platform/lookup.ts'
import { withDeadline } from '../../../../platform/net/deadline.ts'
import { isInwardHost } from '../../../../platform/net/outward.ts'
import type { Registration } from '../facts.ts'
import { createRdap, type RdapOptions } from './rdap.ts'
import { createRdapServers, isIanaFile } from './rdap-servers.ts'
import { createWhois } from './whois.ts'

export type DomainRegistrationOptions = {
  /** URL of IANA's `rdap/dns.json` or a replacement; without it, the shipped table is used. */
  readonly bootstrapUrl?: string | undefined
  /** `whois.iana.org` or a replacement, with an optional `:port`; without it, WHOIS is not used. */
  readonly whoisHost?: string | undefined
  /** Limit of the whole look-up, which includes redirects and the referral. */
  readonly timeoutMs: number
  readonly now: () => Date
}

/** @param registrableDomain as owned by a registrant (`shop.co.uk`), in A-labels or Unicode */
type LookupRegistration = (
  registrableDomain: string,
  signal?: AbortSignal,
) => Promise<Lookup<Registration>>

export type DomainRegistration = {
  readonly lookupRegistration: LookupRegistration
  /** Fetches the table of RDAP servers; false on failure. Look-ups do so once a day on their own. */
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
 * Servers named by the operator's file can be at any address. Those on an inward address or on the
 * host of the file may also redirect to inward addresses.
 */
function trustBy(bootstrapUrl: string | undefined): RdapOptions['trustIn'] {
  if (bootstrapUrl === undefined || isIanaFile(bootstrapUrl)) return () => 'stranger'
  const { hostname } = new URL(bootstrapUrl)
  return (server) =>
    server.hostname === hostname || isInwardHost(server.hostname) ? 'own' : 'named'
}
