import { isPublicAddress } from '../../../platform/net/public-address.ts'
import type { IpData } from './ip-data.ts'
import { classifyNetwork, type NetworkClass, type NetworkService } from './network-class.ts'

export type IpFacts = {
  /** ISO 3166-1 alpha-2; sometimes wrong, so it never weighs much. */
  readonly country_code: string | null
  readonly asn: number | null
  readonly organization: string | null
  readonly network_class: NetworkClass
  /** Kind of exit that the network is known to operate, null for any other network. */
  readonly service: NetworkService | null
}

/** Returns null for private, loopback and other special addresses, and for invalid ones. */
export function describeIp(data: IpData, address: string): IpFacts | null {
  if (!isPublicAddress(address)) return null
  const network = data.networkOf(address)
  return {
    country_code: data.countryOf(address) ?? null,
    asn: network?.asn ?? null,
    organization: network?.organization ?? null,
    ...classifyNetwork(network),
  }
}
