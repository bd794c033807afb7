/**
 * Evidence from the client address. All of it is weak: honest people use VPNs, and country tables are
 * wrong for some networks.
 */
import type { Evidence } from '../../risk/index.ts'
import type { IpFacts } from './ip-facts.ts'

const SCORES = { tor: 45, proxy: 35, vpn: 30, hosting: 25, country_mismatch: 15 } as const

export type IpInput = {
  /** Null when the address is unknown or not public. */
  readonly facts: IpFacts | null
  /** Country of the phone number in the same check, null without one. */
  readonly phone_country_code: string | null
}

export function assessIp({ facts, phone_country_code }: IpInput): Evidence[] {
  if (facts === null) return []
  const findings = [networkFinding(facts), countryFinding(facts, phone_country_code)]
  return findings.filter((finding) => finding !== undefined)
}

function networkFinding(facts: IpFacts): Evidence | undefined {
  const owner = `AS${facts.asn ?? 0} ${facts.organization ?? ''}`.trim()
  if (facts.service !== null) {
    const detail = `The address belongs to ${owner}, known for ${SERVICE_NAMES[facts.service]}.`
    return { signal: 'ip', score: SCORES[facts.service], finding: `ip_${facts.service}`, detail }
  }
  if (facts.network_class !== 'hosting') return undefined
  const detail = `The address belongs to ${owner}, a data center rather than an access provider.`
  return { signal: 'ip', score: SCORES.hosting, finding: 'ip_hosting', detail }
}

const SERVICE_NAMES = { tor: 'Tor exits', proxy: 'proxies', vpn: 'VPN exits' } as const

/** The country of a data center says nothing about the person behind it, so it is not compared. */
function countryFinding(facts: IpFacts, phoneCountry: string | null): Evidence | undefined {
  const country = facts.country_code
  const isComparable = facts.network_class !== 'hosting' && facts.service === null
  if (country === null || phoneCountry === null || !isComparable) return undefined
  if (country === phoneCountry) return undefined
  return {
    signal: 'ip',
    score: SCORES.country_mismatch,
    finding: 'ip_country_mismatch',
    detail: `The address is used in ${country}, the phone number belongs to ${phoneCountry}.`,
  }
}
