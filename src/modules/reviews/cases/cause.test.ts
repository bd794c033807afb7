import { describe, expect, it } from 'vitest'
import { causesOfOrder, readCause } from './cause.ts'

const found = (
  finding: string | null,
  score: number,
  numbers: Record<string, number | string> = {},
) => ({ finding, score, numbers })

const KNOWN = { profile: 'ann', device: 'd1', address: 'a1', terminal: 't1', payment: 'crypto' }

describe('the causes of an order', () => {
  it.each([
    [
      'many tiny orders from a device',
      [found('many_tiny_orders', 90, { key: 'device' })],
      'device:d1',
    ],
    ['orders of a customer', [found('too_many_orders', 90, { key: 'profile' })], 'profile:ann'],
    ['orders from an address', [found('too_many_orders', 90, { key: 'ip' })], 'address:a1'],
    ['orders of all guests', [found('many_orders', 60, { key: 'organization' })], 'profile:ann'],
    ['a journey', [found('impossible_travel', 95)], 'profile:ann'],
    ['an address of many customers', [found('shared_ip', 60)], 'address:a1'],
    [
      'frauds at a terminal',
      [found('recent_frauds', 60, { terminal_fraud_rate: 0.2 })],
      'terminal:t1',
    ],
    [
      'frauds of a customer',
      [found('recent_frauds', 60, { profile_fraud_rate: 0.2 })],
      'profile:ann',
    ],
    [
      'a bad device',
      [found('shared_reputation', 60, { device_reputation: 70, ip_reputation: 60 })],
      'device:d1',
    ],
    ['a bad address', [found('shared_reputation', 60, { ip_reputation: 60 })], 'address:a1'],
    ['a first payment', [found('first_order_by_crypto', 35)], 'payment:crypto'],
    ['a wrong total', [found('total_mismatch', 80)], 'pattern:total_mismatch'],
  ])('%s', (_, measurements, strongest) => {
    expect(causesOfOrder(KNOWN, measurements, 'o1')[0]).toBe(strongest)
  })

  it('are sorted by the strongest finding about each, with the customer as the last', () => {
    const measurements = [
      found('shared_ip', 60),
      found('shared_device', 40),
      found('flagged_device', 70),
      found(null, 99),
      found('total_mismatch', 0),
    ]
    expect(causesOfOrder(KNOWN, measurements, 'o1')).toEqual([
      'device:d1',
      'address:a1',
      'profile:ann',
    ])
    expect(causesOfOrder(KNOWN, measurements.toReversed(), 'o1')[0]).toBe('device:d1')
  })

  it('prefer the device to the customer at the same score', () => {
    const measurements = [found('impossible_travel', 70), found('shared_device', 70)]
    expect(causesOfOrder(KNOWN, measurements, 'o1')).toEqual(['device:d1', 'profile:ann'])
  })

  it('are the device of a guest, or else the order alone', () => {
    const journey = [found('unusual_hour', 70)]
    expect(causesOfOrder({ device: 'd1' }, journey, 'o1')).toEqual(['device:d1'])
    expect(causesOfOrder({ address: 'a1' }, journey, 'o1')).toEqual(['order:o1'])
  })

  it('are read with colons in their values', () => {
    expect(readCause('profile:a:b')).toEqual({ kind: 'profile', value: 'a:b' })
  })
})
