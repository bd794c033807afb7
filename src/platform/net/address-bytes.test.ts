import { BlockList } from 'node:net'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressBytes, addressRange, isInRange, isSameAddress } from './address-bytes.ts'

const ipv4 = fc.uint8Array({ minLength: 4, maxLength: 4 })
const ipv6 = fc.oneof(
  fc.uint8Array({ minLength: 16, maxLength: 16 }),
  // Zeros lead to abbreviated addresses.
  fc
    .array(fc.constantFrom(0, 0, 0, 1, 255), { minLength: 16, maxLength: 16 })
    .map((bytes) => Uint8Array.from(bytes)),
)

const groups = (bytes: Uint8Array): string[] =>
  Array.from({ length: 8 }, (_, at) =>
    (((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0)).toString(16),
  )
const inFull = (bytes: Uint8Array) => groups(bytes).join(':')
const padded = (bytes: Uint8Array) =>
  groups(bytes)
    .map((group) => group.padStart(4, '0').toUpperCase())
    .join(':')
const shortest = (bytes: Uint8Array) => new URL(`http://[${inFull(bytes)}]/`).hostname.slice(1, -1)
const withIpv4 = (bytes: Uint8Array) =>
  `${groups(bytes).slice(0, 6).join(':')}:${bytes.subarray(12).join('.')}`

describe('addressBytes', () => {
  test('reads IPv4', () => {
    fc.assert(
      fc.property(ipv4, (bytes) => {
        expect(addressBytes(bytes.join('.'))).toEqual(bytes)
      }),
    )
  })

  test('reads every spelling of an IPv6 address as the same bytes', () => {
    const forms = [inFull, padded, shortest, withIpv4]
    fc.assert(
      fc.property(ipv6, (bytes) => {
        for (const form of forms) expect(addressBytes(form(bytes))).toEqual(bytes)
      }),
    )
  })

  test.each([
    '',
    '127.1',
    '0x7f.0.0.1',
    '0127.0.0.1',
    '[::1]',
    'fe80::1%eth0',
    '1::2::3',
    'a.example',
  ])('%j is no address', (text) => expect(addressBytes(text)).toBeUndefined())
})

describe('addressRange', () => {
  test.each(['10.0.0.0/33', '::/129', '10.0.0.0/', '10.0.0.0/-1', '10/8', '/8', 'a.example/8'])(
    '%j is no range',
    (text) => expect(addressRange(text)).toBeUndefined(),
  )

  test('reads a single address as a range of one', () => {
    expect(addressRange('192.0.2.1')?.bits).toBe(32)
    expect(addressRange('2001:db8::1')?.bits).toBe(128)
  })

  test('agrees with BlockList of Node.js', () => {
    const near = (bytes: Uint8Array, flipped: number) => {
      const other = Uint8Array.from(bytes)
      other[flipped >> 3] = (other[flipped >> 3] ?? 0) ^ (0x80 >> (flipped & 7))
      return other
    }
    const bitsOf = fc.integer({ min: 1, max: 32 })
    fc.assert(
      fc.property(ipv4, bitsOf, fc.integer({ min: 0, max: 31 }), (base, bits, flipped) => {
        const list = new BlockList()
        list.addSubnet(base.join('.'), bits)
        const address = near(base, flipped)
        const range = { bytes: base, bits }
        expect(isInRange(address, range)).toBe(list.check(address.join('.')))
      }),
    )
  })

  test('never contains an address of the other family', () => {
    expect(isInRange(new Uint8Array(16), { bytes: new Uint8Array(4), bits: 0 })).toBe(false)
    expect(isSameAddress(new Uint8Array(4), new Uint8Array(16))).toBe(false)
  })
})
