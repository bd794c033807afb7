/** What the compiled tables know about a client address; nothing for addresses that are not public. */
import { isPublicAddress } from '../../../platform/net/public-address.ts'
import type { IpData } from './ip-data.ts'
import { classifyNetwork, type NetworkClass, type NetworkService } from './network-class.ts'

export type IpFacts = {
  /** ISO 3166-1 alpha-2; wrong at times, so it never weighs much. */
  readonly country_code: string | null
  readonly asn: number | null
  readonly organisation: string | null
  readonly network_class: NetworkClass
  /** A well-known operator of VPN, proxy or Tor exits, as far as its network tells. */
  readonly service: NetworkService | null
}

/** Null for private, loopback and other special addresses, and for what is no address at all. */
export function describeIp(data: IpData, address: string): IpFacts | null {
  if (!isPublicAddress(address)) return null
  const network = data.networkOf(address)
  return {
    country_code: data.countryOf(address) ?? null,
    asn: network?.asn ?? null,
    organisation: network?.organisation ?? null,
    ...classifyNetwork(network),
  }
}
