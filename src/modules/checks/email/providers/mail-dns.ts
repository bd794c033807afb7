/**
 * Looks up the mail hosts of a domain in DNS: MX records, the implicit MX of RFC 5321 section 5.1 and
 * the null MX of RFC 7505; and whether one of them has an inward address.
 */
import type { MxRecord } from 'node:dns'
import type { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import { performance } from 'node:perf_hooks'
import { parse } from 'tldts'
import { known, type Lookup, unknown } from '../../../../platform/lookup.ts'
import {
  createDns,
  type DnsOptions,
  dnsAbsence,
  failureOfDns,
} from '../../../../platform/net/dns.ts'
import { isInwardAddress } from '../../../../platform/net/public-address.ts'
import type { MailRoute } from '../facts.ts'

/**
 * @param domain in ASCII form (A-labels)
 * @returns unknown when a server fails or does not answer
 */
export type LookupMail = (domain: string, signal?: AbortSignal) => Promise<Lookup<MailRoute>>

/** Maximum number of hosts whose addresses are resolved. */
const MAX_HOSTS_RESOLVED = 3

export function createMailDns(options: DnsOptions): LookupMail {
  const query = createDns(options)
  return async function lookupMail(domain, signal) {
    const startedAt = performance.now()
    const route = await query({ signal }, (resolver) => findRoute(resolver, domain))
    if (!route.known || route.value.hosts.length === 0 || route.value.points_inward) return route
    // The route is known; slow servers of the hosts must not turn it into an unknown.
    const timeoutMs = options.timeoutMs - (performance.now() - startedAt)
    const inward = await query({ signal, timeoutMs }, (resolver) =>
      anyResolvesInward(resolver, route.value.hosts.slice(0, MAX_HOSTS_RESOLVED)),
    )
    return known({ ...route.value, points_inward: inward.known && inward.value })
  }
}

const withoutHosts = (status: MailRoute['status']) =>
  known<MailRoute>({ status, hosts: [], points_inward: false })

async function findRoute(resolver: Resolver, domain: string): Promise<Lookup<MailRoute>> {
  try {
    return await routeOf(await resolver.resolveMx(domain), resolver, domain)
  } catch (error) {
    const absence = dnsAbsence(error)
    if (absence === 'nxdomain') return await confirmAbsence(resolver, domain)
    if (absence === 'nodata') return await implicitRoute(resolver, domain)
    return unknown(failureOfDns(error))
  }
}

/**
 * A resolver without a connection to the internet denies every name. It is believed only if it knows
 * the top-level domain, which certainly exists. Names under no public suffix need no such proof.
 */
async function confirmAbsence(resolver: Resolver, domain: string): Promise<Lookup<MailRoute>> {
  if (parse(domain).isIcann !== true) return withoutHosts('nxdomain')
  try {
    await resolver.resolveNs(domain.replace(/\.$/, '').split('.').at(-1) ?? '')
    return withoutHosts('nxdomain')
  } catch (error) {
    const absence = dnsAbsence(error)
    if (absence === 'nodata') return withoutHosts('nxdomain')
    return unknown(absence === 'nxdomain' ? 'unreachable' : failureOfDns(error))
  }
}

async function routeOf(
  records: readonly MxRecord[],
  resolver: Resolver,
  domain: string,
): Promise<Lookup<MailRoute>> {
  const hosts = records
    .toSorted((a, b) => a.priority - b.priority)
    .map(({ exchange }) => exchange.toLowerCase().replace(/\.$/, ''))
    .filter((host) => host !== '')
  if (hosts.length > 0) {
    return known({ status: 'mx', hosts, points_inward: hosts.some(isInwardMailHost) })
  }
  if (records.length > 0) return withoutHosts('null_mx')
  return await implicitRoute(resolver, domain)
}

async function implicitRoute(resolver: Resolver, domain: string): Promise<Lookup<MailRoute>> {
  const addresses = await resolveAddresses(resolver, domain)
  if (!addresses.known) return addresses
  if (addresses.value.length === 0) return withoutHosts('no_mail')
  const host = domain.toLowerCase().replace(/\.$/, '')
  const points_inward = addresses.value.some(isInwardAddress)
  return known({ status: 'implicit_mx', hosts: [host], points_inward })
}

/** Some domains publish an address instead of a host name; no sender can use it, but it counts here. */
function isInwardMailHost(host: string): boolean {
  if (isIP(host) !== 0) return isInwardAddress(host)
  return /(?:^|\.)(?:localhost|localdomain)$/.test(host)
}

async function anyResolvesInward(
  resolver: Resolver,
  hosts: readonly string[],
): Promise<Lookup<boolean>> {
  const found = await Promise.all(hosts.map((host) => resolveAddresses(resolver, host)))
  return known(found.some((answer) => answer.known && answer.value.some(isInwardAddress)))
}

/** Resolves IPv4 and IPv6. A failure of one does not matter when the other has an address. */
async function resolveAddresses(resolver: Resolver, name: string): Promise<Lookup<string[]>> {
  const [v4, v6] = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)])
  const addresses = [v4, v6].flatMap((family) =>
    family.status === 'fulfilled' ? family.value : [],
  )
  if (addresses.length > 0) return known(addresses)
  for (const family of [v4, v6]) {
    if (family.status === 'rejected' && dnsAbsence(family.reason) === undefined) {
      return unknown(failureOfDns(family.reason))
    }
  }
  return known([])
}
