import { describe, expect, it } from 'vitest'
import { isAddressAndPort, isAddressRange, isHost, isHostAndPort } from './address-text.ts'

const judged = (judge: (text: string) => boolean, texts: string[]): string[] => texts.filter(judge)

describe('an address with an optional port', () => {
  it('is an IP address, with IPv6 in brackets when it has a port', () => {
    const good = ['192.0.2.1', '192.0.2.1:53', '2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:5353']
    expect(judged(isAddressAndPort, good)).toEqual(good)
  })

  it('is neither a name nor a malformed address', () => {
    const bad = [
      '',
      'dns.example.com',
      '1.2.3.4:99999',
      '1.2.3.4:0',
      '1.2.3.4:',
      '1.2.3.4:5:3',
      '300.1.1.1',
      ':::',
      '[1.2.3.4]:53',
      '[dns]:53',
      '[::1',
      'fe80::1%eth0',
      '[fe80::1%eth0]:53',
    ]
    expect(judged(isAddressAndPort, bad)).toEqual([])
  })
})

describe('an address range', () => {
  it('is an address or a CIDR range', () => {
    const good = ['10.0.0.0/8', '10.0.0.1', '10.0.0.1/32', '::1', '2001:db8::/32', '::/1']
    expect(judged(isAddressRange, good)).toEqual(good)
  })

  it('has a prefix length within the bits of its family', () => {
    const bad = [
      '10.0.0.0/99',
      '10.0.0.0/33',
      '::/129',
      '10.0.0.0/0',
      '10.0.0.0/',
      '/8',
      '300.1.1.1',
    ]
    expect(judged(isAddressRange, [...bad, ':::', 'fe80::1%eth0', '', 'loopback'])).toEqual([])
  })
})

describe('a host', () => {
  it('is an address or a name', () => {
    const good = ['localhost', '0.0.0.0', '::', 'whois.iana.org', 'whois_server', 'a-b.example.']
    expect(judged(isHost, good)).toEqual(good)
    expect(
      judged(isHost, ['', 'a b', '-a', 'a..b', '1.2.3', '[::1]', 'a:1', 'x'.repeat(300)]),
    ).toEqual([])
  })

  it('may have a port', () => {
    const good = ['whois.iana.org', 'whois.iana.org:43', 'localhost:1', '[::1]:43', '127.0.0.1:43']
    expect(judged(isHostAndPort, good)).toEqual(good)
    const bad = ['a b:99999999', 'a b', 'a:99999', 'a:', 'a:b', ':43', 'http://a', 'a/b']
    expect(judged(isHostAndPort, bad)).toEqual([])
  })
})
