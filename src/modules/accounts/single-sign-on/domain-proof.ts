/** The proof that a domain belongs to an organization: a TXT record, which only its owner can create. */
import { known, type Lookup, unknown } from '../../../platform/lookup.ts'
import { createDns, type DnsOptions, dnsAbsence, failureOfDns } from '../../../platform/net/dns.ts'

/** @returns unknown when no server answers */
export type ProveDomain = (domain: string, orgId: string) => Promise<Lookup<boolean>>

export const recordName = (domain: string): string => `_vigil.${domain}`
/** The id is no secret: the proof is that it is in this place. */
export const recordValue = (orgId: string): string => `vigil-organization=${orgId}`

export function createDomainProof(options: DnsOptions): ProveDomain {
  const query = createDns(options)
  return async (domain, orgId) =>
    await query({}, async (resolver) => {
      try {
        const records = await resolver.resolveTxt(recordName(domain))
        return known(records.some((parts) => parts.join('').trim() === recordValue(orgId)))
      } catch (error) {
        return dnsAbsence(error) === undefined ? unknown(failureOfDns(error)) : known(false)
      }
    })
}
