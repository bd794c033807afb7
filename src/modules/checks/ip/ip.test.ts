import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { packRanges, range32 } from '../../../platform/lists/ranges.ts'
import { bytesOf } from '../../../platform/lists/sections.ts'
import { packStrings } from '../../../platform/lists/string-table.ts'
import { assessIp } from './assess-ip.ts'
import { IP_SECTIONS, type IpData, openIpData } from './ip-data.ts'
import { describeIp, type IpFacts } from './ip-facts.ts'
import { parseIpHalves } from './ip-halves.ts'
import { classifyNetwork } from './network-class.ts'

describe('address halves', () => {
  test('of IPv4 are the same number in every notation', () => {
    const whole = { version: 4, high: 0x08080404, low: 0 }
    expect(parseIpHalves('8.8.4.4')).toEqual(whole)
    expect(parseIpHalves('::ffff:8.8.4.4')).toEqual(whole)
    expect(parseIpHalves('0:0:0:0:0:FFFF:8.8.4.4')).toEqual(whole)
  })

  test('of IPv6 are its upper 64 bits, wherever zeros are omitted', () => {
    const group = fc.integer({ min: 0, max: 0xffff })
    fc.assert(
      fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
        fc.pre(groups[0] !== 0)
        const full = groups.map((each) => each.toString(16)).join(':')
        const short = full.replace(/(?:^|:)0(?::0)+(?::|$)/, '::')
        const [a = 0, b = 0, c = 0, d = 0] = groups
        const expected = { version: 6, high: a * 65_536 + b, low: c * 65_536 + d }
        expect(parseIpHalves(full)).toEqual(expected)
        expect(parseIpHalves(short)).toEqual(expected)
      }),
    )
    expect(parseIpHalves('fe80::1%eth0')).toEqual({ version: 6, high: 0xfe800000, low: 0 })
  })

  test('are undefined for any other text', () => {
    for (const text of ['', '1.2.3', '1.2.3.4.5', 'example.com', '::g', '1.2.3.4/8']) {
      expect(parseIpHalves(text)).toBeUndefined()
    }
  })
})

describe('facts of an address', () => {
  test('come from the tables, for IPv4 and IPv6', () => {
    expect(describeIp(sampleData(), '8.8.8.8')).toEqual({
      country_code: 'DE',
      asn: 64_500,
      organization: 'Example Telecom',
      network_class: 'isp',
      service: null,
    })
    expect(describeIp(sampleData(), '2a00::1')?.organization).toBe('Some Cloud Hosting')
  })

  test('are null for private, loopback, documentation and mapped private addresses', () => {
    const special = ['10.1.2.3', '127.0.0.1', '::1', 'fe80::1', '192.0.2.1', '::ffff:10.0.0.1', 'x']
    for (const address of special) expect(describeIp(sampleData(), address)).toBeNull()
  })

  test('are empty for a public address that is in no table', () => {
    expect(describeIp(sampleData(), '200.1.1.1')).toEqual({
      country_code: null,
      asn: null,
      organization: null,
      network_class: 'unknown',
      service: null,
    })
  })

  test('never throw, for any text', () => {
    const data = sampleData()
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), (text) => {
        expect(() => describeIp(data, text)).not.toThrow()
      }),
    )
  })
})

describe('network class', () => {
  test.each([
    ['Deutsche Telekom AG', 'isp', null],
    ['PJSC Rostelecom', 'isp', null],
    ['Cloud & Cable Communications', 'isp', null],
    ['Servers.com, Inc.', 'hosting', null],
    ['Emerald Onion', 'hosting', 'tor'],
    ['Mullvad VPN AB', 'hosting', 'vpn'],
    ['Oxylabs', 'hosting', 'proxy'],
    ['Bank of Somewhere', 'unknown', null],
  ])('%s is %s', (organization, network_class, service) => {
    expect(classifyNetwork({ asn: 64_500, organization })).toEqual({ network_class, service })
  })
})

describe('evidence of the address', () => {
  const facts: IpFacts = {
    country_code: 'DE',
    asn: 64_500,
    organization: 'Example',
    network_class: 'isp',
    service: null,
  }

  test('is empty for an unknown address and for an access provider in the country of the phone', () => {
    expect(assessIp({ facts: null, phone_country_code: 'DE' })).toEqual([])
    expect(assessIp({ facts, phone_country_code: 'DE' })).toEqual([])
    expect(assessIp({ facts, phone_country_code: null })).toEqual([])
  })

  test('is weak when the country differs from that of the phone number', () => {
    const [only, ...rest] = assessIp({ facts, phone_country_code: 'FR' })
    expect(only).toMatchObject({ signal: 'ip', finding: 'ip_country_mismatch', score: 15 })
    expect(rest).toEqual([])
  })

  test('of a data center does not compare its country', () => {
    const hosted = { ...facts, network_class: 'hosting' as const }
    const findings = assessIp({ facts: hosted, phone_country_code: 'FR' })
    expect(findings.map(({ finding }) => finding)).toEqual(['ip_hosting'])
  })

  test('grows from VPN over proxy to Tor and never reaches 50', () => {
    const scores = (['vpn', 'proxy', 'tor'] as const).map((service) => {
      const [found] = assessIp({ facts: { ...facts, service }, phone_country_code: null })
      return found?.score ?? 0
    })
    expect(scores).toEqual(scores.toSorted((a, b) => a - b))
    expect(Math.max(...scores)).toBeLessThan(50)
  })
})

function sampleData(): IpData {
  const v6 = { first_high: 0x2a000000, first_low: 0, last_high: 0x2a00ffff, last_low: 0, value: 2 }
  return openIpData({
    ...packRanges(IP_SECTIONS.network_v4, [range32(0x08000000, 0x08ffffff, 1)]),
    ...packRanges(IP_SECTIONS.network_v6, [v6]),
    [IP_SECTIONS.asn]: bytesOf(Uint32Array.of(64_500, 64_501)),
    ...packStrings(IP_SECTIONS.organization, ['Example Telecom', 'Some Cloud Hosting']),
    ...packRanges(IP_SECTIONS.country_v4, [range32(0x08000000, 0x08ffffff, 1)]),
    ...packRanges(IP_SECTIONS.country_v6, [v6]),
    ...packStrings(IP_SECTIONS.country, ['DE', 'NL']),
  })
}
