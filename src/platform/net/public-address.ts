/**
 * Classifies IP addresses as public. Addresses in the IANA special-purpose registries (RFC 6890 and
 * its updates), multicast addresses and IPv6 forms that embed an IPv4 address are not public.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

const INWARD = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '::/127',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
]

const NOT_PUBLIC = [
  ...INWARD,
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'ff00::/8',
]

/** Whether the address is reachable from the internet; false when the text is no address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4')
  return isIPv6(address) && !notPublic.check(address, 'ipv6')
}

/**
 * Whether the address can only belong to a machine in the service's own network: loopback, private,
 * shared, link-local and unspecified addresses. Documentation ranges are neither public nor inward.
 */
export function isInwardAddress(address: string): boolean {
  if (isIPv4(address)) return inward.check(address, 'ipv4')
  return isIPv6(address) && inward.check(address, 'ipv6')
}

// BlockList checks an IPv4-mapped address (::ffff:a.b.c.d) against the IPv4 ranges.
const notPublic = blockList(NOT_PUBLIC)
const inward = blockList(INWARD)

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const slash = range.indexOf('/')
    const family = range.includes(':') ? 'ipv6' : 'ipv4'
    list.addSubnet(range.slice(0, slash), Number(range.slice(slash + 1)), family)
  }
  return list
}
