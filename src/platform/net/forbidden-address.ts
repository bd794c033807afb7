/**
 * Addresses that the service must not connect to when a customer chose the target. This is stricter
 * than "not public": of IPv6 only the allocated part (2000::/3) is allowed, and no address that
 * embeds an IPv4 address, because its destination depends on translators in the network.
 */
import { type AddressBytes, type AddressRange, addressRange, isInRange } from './address-bytes.ts'

/** The IANA special-purpose registry (RFC 6890 and its updates), multicast, and cloud platforms. */
const IPV4 = ranges({
  '0.0.0.0/8': 'this network',
  '10.0.0.0/8': 'private',
  '100.64.0.0/10': 'shared (carrier-grade NAT)',
  '127.0.0.0/8': 'loopback',
  '168.63.129.16/32': 'platform (Azure)',
  '169.254.0.0/16': 'link-local',
  '172.16.0.0/12': 'private',
  '192.0.0.0/24': 'protocol assignments',
  '192.0.2.0/24': 'documentation',
  '192.31.196.0/24': 'AS112',
  '192.52.193.0/24': 'AMT',
  '192.88.99.0/24': '6to4 relay',
  '192.168.0.0/16': 'private',
  '192.175.48.0/24': 'AS112',
  '198.18.0.0/15': 'benchmarking',
  '198.51.100.0/24': 'documentation',
  '203.0.113.0/24': 'documentation',
  '224.0.0.0/4': 'multicast',
  '240.0.0.0/4': 'reserved',
})

/** Everything outside 2000::/3 is forbidden; the names only distinguish common ranges. */
const IPV6 = ranges({
  '::/128': 'unspecified',
  '::1/128': 'loopback',
  '::ffff:0:0/96': 'IPv4-mapped',
  '::ffff:0:0:0/96': 'IPv4-translated (SIIT)',
  '::/96': 'IPv4-compatible',
  '64:ff9b::/96': 'NAT64',
  '64:ff9b:1::/48': 'NAT64 (local)',
  '100::/64': 'discard',
  '2001::/32': 'Teredo',
  '2001:2::/48': 'benchmarking',
  '2001::/23': 'protocol assignments',
  '2001:db8::/32': 'documentation',
  '2002::/16': '6to4',
  '2620:4f:8000::/48': 'AS112',
  '3fff::/20': 'documentation',
  '5f00::/16': 'segment routing',
  'fc00::/7': 'unique local',
  'fe80::/10': 'link-local',
  'fec0::/10': 'site-local',
  'ff00::/8': 'multicast',
})

const IN_USE = range('2000::/3')

/** @returns the name of the range that forbids the address, or undefined when it is allowed */
export function forbiddenRange(address: AddressBytes): string | undefined {
  if (address.length === 4) return nameOf(IPV4, address)
  if (isIsatap(address)) return 'ISATAP'
  return nameOf(IPV6, address) ?? (isInRange(address, IN_USE) ? undefined : 'not in use')
}

/** RFC 5214: the interface identifier starts with 0000:5efe or 0200:5efe, then an IPv4 address. */
const isIsatap = (address: AddressBytes): boolean =>
  ((address[8] ?? 0) & 0xfd) === 0 &&
  address[9] === 0 &&
  address[10] === 0x5e &&
  address[11] === 0xfe

type Named = readonly (readonly [AddressRange, string])[]

const nameOf = (named: Named, address: AddressBytes): string | undefined =>
  named.find(([each]) => isInRange(address, each))?.[1]

function ranges(names: Readonly<Record<string, string>>): Named {
  return Object.entries(names).map(([text, name]) => [range(text), name] as const)
}

function range(text: string): AddressRange {
  const read = addressRange(text)
  if (read === undefined) throw new Error(`${text} is not a CIDR range`)
  return read
}
