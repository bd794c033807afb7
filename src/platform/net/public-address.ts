/**
 * Which IP addresses belong to the public internet. Everything in the IANA special-purpose
 * registries (RFC 6890 and its updates) does not, nor do multicast and the IPv6 forms that carry
 * an IPv4 address inside them.
 */
import { BlockList, isIPv4, isIPv6 } from 'node:net'

const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]

const NOT_PUBLIC_IPV6 = [
  '::/96',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '100::/64',
  '2001::/23',
  '2001:db8::/32',
  '2002::/16',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
  'fec0::/10',
  'ff00::/8',
]

/** True for an address that a stranger on the internet could reach; false for what is no address. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !notPublic.check(address, 'ipv4')
  return isIPv6(address) && !notPublic.check(address, 'ipv6')
}

/**
 * True for loopback, private, shared, link-local and unspecified addresses: those that can only
 * mean a machine inside the network that looks. Documentation ranges are neither.
 */
export function isInwardAddress(address: string): boolean {
  if (isIPv4(address)) return inward.check(address, 'ipv4')
  return isIPv6(address) && inward.check(address, 'ipv6')
}

// An IPv4-mapped address (::ffff:a.b.c.d) is checked by BlockList against the IPv4 ranges.
const notPublic = blockList([...NOT_PUBLIC_IPV4, ...NOT_PUBLIC_IPV6])

const inward = blockList([
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
])

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const slash = range.indexOf('/')
    const family = range.includes(':') ? 'ipv6' : 'ipv4'
    list.addSubnet(range.slice(0, slash), Number(range.slice(slash + 1)), family)
  }
  return list
}
