/** DNS records and registrations of the domains in the story. */
import type { DnsScenario } from '../../emulators/dns.ts'
import type { RdapScenario } from '../../emulators/rdap.ts'
import { DAY_MS } from '../../world/time.ts'
import { DISPOSABLE_DOMAINS, MAIL_DOMAINS, SILENT_DOMAIN, YOUNG_DOMAIN } from './names.ts'
import { RECEIVER_HOSTS } from './receivers.ts'

/** Age of the young domain at the end of the story; it was new when it was used. */
const YOUNG_DAYS = 38

export function dnsRecords(): DnsScenario {
  const names: DnsScenario['names'] = {}
  for (const domain of [...MAIL_DOMAINS, YOUNG_DOMAIN, ...DISPOSABLE_DOMAINS]) {
    names[domain] = {
      MX: [{ priority: 10, exchange: `mx.${domain}` }],
      A: ['192.0.2.25'],
      TXT: ['v=spf1 mx -all'],
      NS: [`ns.${domain}`],
    }
    names[`mx.${domain}`] = { A: ['192.0.2.26'] }
  }
  names[SILENT_DOMAIN] = { TXT: ['parked'] }
  for (const host of RECEIVER_HOSTS) names[host] = { A: ['127.0.0.1'] }
  return { names }
}

export function registrations(now: Date): RdapScenario {
  const old = { registered_at: '2004-05-06T07:08:09Z' }
  const young = { registered_at: new Date(now.getTime() - YOUNG_DAYS * DAY_MS).toISOString() }
  const oldDomains = [...MAIL_DOMAINS, SILENT_DOMAIN, ...DISPOSABLE_DOMAINS]
  return {
    suffixes: ['example', 'test', 'com'],
    domains: {
      ...Object.fromEntries(oldDomains.map((domain) => [domain, old])),
      [YOUNG_DOMAIN]: young,
    },
  }
}
