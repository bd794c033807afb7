import { describe, expect, test } from 'vitest'
import { isInwardAddress, isPublicAddress } from './public-address.ts'

const outward = ['8.8.8.8', '172.32.0.1', '100.128.0.1', '2a00:1450:4001::1', '::ffff:8.8.8.8']

const inward = [
  '127.0.0.1',
  '127.255.255.254',
  '10.1.2.3',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '::',
  '::1',
  'fd00::1',
  'fe80::1',
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
]

const special = [
  '192.0.2.1',
  '198.51.100.7',
  '203.0.113.9',
  '224.0.0.1',
  '255.255.255.255',
  '64:ff9b::7f00:1',
  '2002:7f00:1::',
  '2001:db8::1',
  'ff02::1',
]

describe('isPublicAddress', () => {
  test.each(outward)('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
    expect(isInwardAddress(address)).toBe(false)
  })

  test.each([...inward, ...special])('%s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  test.each(['', 'localhost', '127.1', '0x7f000001', '1.2.3.4.5'])('%j is no address', (text) => {
    expect(isPublicAddress(text)).toBe(false)
    expect(isInwardAddress(text)).toBe(false)
  })
})

describe('isInwardAddress', () => {
  test.each(inward)('%s points inward', (address) => {
    expect(isInwardAddress(address)).toBe(true)
  })

  test.each(special)('%s is special, but not inward', (address) => {
    expect(isInwardAddress(address)).toBe(false)
  })
})
