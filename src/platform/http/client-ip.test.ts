import { describe, expect, it } from 'vitest'
import { canonicalIp, clientIp, networkOf } from './client-ip.ts'

describe('the address of the end user', () => {
  it('is unknown when no trusted proxy forwarded it', () => {
    expect(clientIp({ ip: '198.51.100.7' })).toBeUndefined()
    expect(clientIp({ ip: '198.51.100.7', ips: ['198.51.100.7'] })).toBeUndefined()
  })

  it('is the last address that no trusted proxy added', () => {
    expect(clientIp({ ip: '198.51.100.7', ips: ['10.0.0.1', '198.51.100.7'] })).toBe('198.51.100.7')
  })

  it.each([
    ['198.51.100.7', '198.51.100.7'],
    [' 198.51.100.7 ', '198.51.100.7'],
    ['198.51.100.7:4711', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['[::ffff:198.51.100.7]:4711', '198.51.100.7'],
    ['2001:DB8:0:0::7', '2001:db8::7'],
    ['[2001:db8::7]', '2001:db8::7'],
    ['[2001:db8::7]:4711', '2001:db8::7'],
  ])('is normalized from any spelling: %s', (spelling, address) => {
    expect(canonicalIp(spelling)).toBe(address)
  })

  it.each([
    '',
    'unknown',
    '_hidden',
    '198.51.100',
    '198.51.100.7.8',
    'fe80::1%eth0',
    '[::1',
    '::1]',
  ])('is unknown when a proxy writes something else: %j', (text) => {
    expect(canonicalIp(text)).toBeUndefined()
  })
})

describe('the network by which a client is counted', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:DB8:0:0:ffff:1:2:3', '2001:db8:0:0::/64'],
    ['2001:db8:0:1::1', '2001:db8:0:1::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['1::', '1:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['unix', 'unix'],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
