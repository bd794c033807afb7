/**
 * The surroundings of the check benchmark: domains of companies with mail servers and a registration date, served
 * by the emulators, and e-mail addresses at these domains.
 */
import { type DnsScenario, startDns } from '../emulators/dns.ts'
import { startRdap } from '../emulators/rdap.ts'

const FIRST_NAMES =
  'anna ben clara david emma felix greta henry ines jonas karin leon marta noah olga peter rosa simon tina viktor'.split(
    ' ',
  )
const LAST_NAMES =
  'adler becker costa duarte ernst fontana garcia hansen ibsen jensen keller lindberg moreau novak olsen petrov richter silva tanner vogel'.split(
    ' ',
  )
const FIRMS =
  'alder birch cedar dahlia elmwood fernhill granite harbour ivory juniper kestrel larch meadow northgate orchard pinewood quarry riverside sandstone thornton'.split(
    ' ',
  )
const TRADES =
  'bakery books builders cycles dental design farming flooring foods garden glass joinery legal motors optics paper textiles tools travel windows'.split(
    ' ',
  )

export const DOMAINS = FIRMS.length * TRADES.length
/** Prime to the number of domains, so that consecutive numbers visit all of them. */
const STRIDE = 7919

/** @returns a different address for every number, spread over all domains */
export function emailAddress(number: number): string {
  const person = Math.floor(number / DOMAINS)
  const first = pick(FIRST_NAMES, person)
  const last = pick(LAST_NAMES, Math.floor(person / FIRST_NAMES.length))
  return `${first}.${last}${person}@${domainName((number * STRIDE) % DOMAINS)}`
}

/** @returns settings that make the service use the emulators */
export async function startWorld() {
  const domains = Array.from({ length: DOMAINS }, (_, index) => domainName(index))
  const names: DnsScenario['names'] = {}
  for (const domain of domains) {
    names[domain] = { MX: [{ priority: 10, exchange: `mx.${domain}` }] }
    names[`mx.${domain}`] = { A: ['198.51.100.1'] }
  }
  const dns = await startDns({ scenario: { names } })
  const registration = { registered_at: '2009-03-14T09:26:53Z' }
  const registrations = Object.fromEntries(domains.map((domain) => [domain, registration]))
  const rdap = await startRdap({ scenario: { suffixes: ['com'], domains: registrations } })
  return {
    settings: {
      VIGIL_DNS_SERVERS: dns.address,
      VIGIL_RDAP_BOOTSTRAP_URL: rdap.bootstrap_url,
      VIGIL_WHOIS_SERVER: rdap.whois.address,
    },
    close: async () => {
      await Promise.all([dns.close(), rdap.close()])
    },
  }
}

const domainName = (index: number): string =>
  `${pick(FIRMS, index)}-${pick(TRADES, Math.floor(index / FIRMS.length))}.com`

const pick = (names: string[], index: number): string => names[index % names.length] ?? ''
