/** The networks that a key may be used from. */

import { canonicalIp } from '../../platform/http/client-ip.ts'
import { invalidRequest } from '../../platform/http/errors.ts'
import { addressBytes, addressRange, isInRange } from '../../platform/net/address-bytes.ts'

/**
 * @param networks addresses and CIDR ranges such as `203.0.113.0/24`
 * @throws AppError 400 naming the first that is neither
 */
export function checkNetworks(networks: readonly string[]): void {
  for (const [index, network] of networks.entries()) {
    if (addressRange(network) !== undefined) continue
    const field = `networks.${index}`
    throw invalidRequest(field, `${field} must be an address or a range, such as 203.0.113.0/24`)
  }
}

/** @param ip address of the client as the server sees it */
export function isInNetworks(ip: string, networks: readonly string[]): boolean {
  const address = addressBytes(canonicalIp(ip) ?? '')
  if (address === undefined) return false
  return networks.some((network) => {
    const range = addressRange(network)
    return range !== undefined && isInRange(address, range)
  })
}
