import { BlockList } from 'node:net'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressBytes } from './address-bytes.ts'
import { forbiddenRange } from './forbidden-address.ts'
import { isInwardAddress, isPublicAddress } from './public-address.ts'

const RUNS = { numRuns: 5_000 }
const ipv4 = fc.uint8Array({ minLength: 4, maxLength: 4 })
const ipv6 = fc.uint8Array({ minLength: 16, maxLength: 16 })
const ranged = (text: string) => {
  const bytes = addressBytes(text)
  return bytes === undefined ? 'no address' : forbiddenRange(bytes)
}
const textOf = (bytes: Uint8Array): string =>
  bytes.length === 4
    ? bytes.join('.')
    : Array.from({ length: 8 }, (_, at) =>
        (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
      ).join(':')

describe('an IPv4 address', () => {
  test.each([
    ['0.0.0.0', 'this network'],
    ['0.255.255.255', 'this network'],
    ['10.0.0.0', 'private'],
    ['10.255.255.255', 'private'],
    ['100.64.0.0', 'shared (carrier-grade NAT)'],
    ['100.100.100.200', 'shared (carrier-grade NAT)'],
    ['100.127.255.255', 'shared (carrier-grade NAT)'],
    ['127.0.0.1', 'loopback'],
    ['127.255.255.255', 'loopback'],
    ['168.63.129.16', 'platform (Azure)'],
    ['169.254.169.254', 'link-local'],
    ['172.16.0.0', 'private'],
    ['172.31.255.255', 'private'],
    ['192.0.0.192', 'protocol assignments'],
    ['192.0.2.255', 'documentation'],
    ['192.88.99.1', '6to4 relay'],
    ['192.168.255.255', 'private'],
    ['198.18.0.0', 'benchmarking'],
    ['198.19.255.255', 'benchmarking'],
    ['198.51.100.1', 'documentation'],
    ['203.0.113.1', 'documentation'],
    ['224.0.0.0', 'multicast'],
    ['239.255.255.255', 'multicast'],
    ['240.0.0.0', 'reserved'],
    ['255.255.255.255', 'reserved'],
  ])('%s is forbidden: %s', (text, name) => expect(ranged(text)).toBe(name))

  test.each([
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
  ])('%s, next to a forbidden range, is allowed', (text) => expect(ranged(text)).toBeUndefined())

  test('agrees with BlockList of Node.js for the same ranges', () => {
    const list = new BlockList()
    for (const range of [
      '0.0.0.0/8',
      '10.0.0.0/8',
      '100.64.0.0/10',
      '127.0.0.0/8',
      '168.63.129.16/32',
      '169.254.0.0/16',
      '172.16.0.0/12',
      '192.0.0.0/24',
      '192.0.2.0/24',
      '192.31.196.0/24',
      '192.52.193.0/24',
      '192.88.99.0/24',
      '192.168.0.0/16',
      '192.175.48.0/24',
      '198.18.0.0/15',
      '198.51.100.0/24',
      '203.0.113.0/24',
      '224.0.0.0/4',
      '240.0.0.0/4',
    ]) {
      const [net = '', bits] = range.split('/')
      list.addSubnet(net, Number(bits))
    }
    // Half of them start like a special range; otherwise random addresses rarely hit small ranges.
    const starts = fc.constantFrom(
      [192, 0, 0],
      [192, 0, 2],
      [198, 51, 100],
      [203, 0, 113],
      [168, 63, 129],
    )
    const close = fc
      .tuple(starts, fc.nat(255))
      .map(([start, last]) => Uint8Array.from([...start, last]))
    fc.assert(
      fc.property(fc.oneof(ipv4, close), (bytes) => {
        expect(forbiddenRange(bytes) !== undefined).toBe(list.check(bytes.join('.')))
      }),
      RUNS,
    )
  })
})

describe('an IPv6 address', () => {
  test.each([
    ['::', 'unspecified'],
    ['::1', 'loopback'],
    ['::7f00:1', 'IPv4-compatible'],
    ['::127.0.0.1', 'IPv4-compatible'],
    ['::ffff:127.0.0.1', 'IPv4-mapped'],
    ['::ffff:8.8.8.8', 'IPv4-mapped'],
    ['::ffff:0:127.0.0.1', 'IPv4-translated (SIIT)'],
    ['64:ff9b::10.0.0.1', 'NAT64'],
    ['64:ff9b:1::10.0.0.1', 'NAT64 (local)'],
    ['64:ff9b:1:ffff::1', 'NAT64 (local)'],
    ['100::1', 'discard'],
    ['100:0:0:1::1', 'not in use'],
    ['2001::1', 'Teredo'],
    ['2001:0:53aa:64c::1', 'Teredo'],
    ['2001:2::1', 'benchmarking'],
    ['2001:10::1', 'protocol assignments'],
    ['2001:20::1', 'protocol assignments'],
    ['2001:1ff:ffff::1', 'protocol assignments'],
    ['2001:db8::1', 'documentation'],
    ['2002:7f00:1::', '6to4'],
    ['2002:808:808::1', '6to4'],
    ['3fff::1', 'documentation'],
    ['3fff:fff:ffff::1', 'documentation'],
    ['2a00:1450::5efe:10.0.0.1', 'ISATAP'],
    ['2a00:1450::200:5efe:10.0.0.1', 'ISATAP'],
    ['::5efe:127.0.0.1', 'ISATAP'],
    ['fe80::5efe:10.0.0.1', 'ISATAP'],
    ['1fff:ffff::1', 'not in use'],
    ['4000::1', 'not in use'],
    ['5f00::1', 'segment routing'],
    ['8000::1', 'not in use'],
    ['e000::1', 'not in use'],
    ['fc00::1', 'unique local'],
    ['fd00:ec2::254', 'unique local'],
    ['fe80::1', 'link-local'],
    ['febf:ffff::1', 'link-local'],
    ['fec0::1', 'site-local'],
    ['ff02::1', 'multicast'],
    ['ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff', 'multicast'],
  ])('%s is forbidden: %s', (text, name) => expect(ranged(text)).toBe(name))

  test.each([
    '2000::1',
    '2001:200::1',
    '2001:db7::1',
    '2001:db9::1',
    '2003::1',
    '2606:4700:4700::1111',
    '2a00:1450:4001::1',
    '3ffe:ffff::1',
    '3fff:1000::1',
    '2a00::5eff:a00:1',
    '2a00::100:5efe:a00:1',
  ])('%s is allowed', (text) => expect(ranged(text)).toBeUndefined())

  test('outside 2000::/3 is forbidden', () => {
    fc.assert(
      fc.property(ipv6, (bytes) => {
        fc.pre((bytes[0] ?? 0) >> 5 !== 1)
        expect(forbiddenRange(bytes)).toBeDefined()
      }),
      RUNS,
    )
  })

  test('that embeds any IPv4 address is forbidden', () => {
    const prefixes = [
      '::',
      '::ffff:',
      '::ffff:0:',
      '64:ff9b::',
      '64:ff9b:1::',
      '::5efe:',
      '2a00::5efe:',
    ]
    fc.assert(
      fc.property(fc.constantFrom(...prefixes), ipv4, (prefix, bytes) => {
        expect(ranged(`${prefix}${bytes.join('.')}`)).toBeDefined()
      }),
      RUNS,
    )
    fc.assert(
      fc.property(ipv4, ipv6, ([a = 0, b = 0, c = 0, d = 0], rest) => {
        const address = Uint8Array.from([0x20, 0x02, a, b, c, d, ...rest.subarray(6)])
        expect(forbiddenRange(address)).toBeDefined()
      }),
      RUNS,
    )
  })
})

test('every allowed address is public and not inward', () => {
  fc.assert(
    fc.property(fc.oneof(ipv4, ipv6), (bytes) => {
      fc.pre(forbiddenRange(bytes) === undefined)
      expect(isPublicAddress(textOf(bytes))).toBe(true)
      expect(isInwardAddress(textOf(bytes))).toBe(false)
    }),
    RUNS,
  )
})
