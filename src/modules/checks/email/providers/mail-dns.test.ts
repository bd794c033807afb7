import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type DnsEmulator, type DnsScenario, startDns } from '../../../../../emulators/dns.ts'
import { known, unknown } from '../../../../platform/lookup.ts'
import { createMailDns } from './mail-dns.ts'

const mx = (exchange: string, priority = 10) => ({ priority, exchange })

const names: DnsScenario['names'] = {
  'good.example': { MX: [mx('MX2.good.example', 20), mx('mx1.good.example', 10)] },
  'mx1.good.example': { A: ['198.51.100.1'] },
  'mx2.good.example': { AAAA: ['2001:db8::2'] },
  'null.example': { MX: [mx('.', 0)], A: ['198.51.100.3'] },
  'address.example': { A: ['198.51.100.4'] },
  'address6.example': { AAAA: ['2001:db8::4'] },
  'inward-address.example': { A: ['10.0.0.1'] },
  'text-only.example': { TXT: ['hello'] },
  'localhost.example': { MX: [mx('localhost')] },
  'sub-localhost.example': { MX: [mx('mail.localhost')] },
  'literal.example': { MX: [mx('127.0.0.1')] },
  'private.example': { MX: [mx('mx1.good.example'), mx('inside.example', 20)] },
  'inside.example': { A: ['192.168.1.25'] },
  'linklocal.example': { MX: [mx('inside6.example')] },
  'inside6.example': { AAAA: ['fe80::25'] },
  'dangling.example': { MX: [mx('nowhere.example')] },
  'broken-host.example': { MX: [mx('broken.example')] },
  'silent-host.example': { MX: [mx('silent.example')] },
  'alias.example': { CNAME: 'good.example' },
  'large.example': {
    MX: Array.from({ length: 40 }, (_, index) => mx(`mx${index}.large.example`, index)),
  },
  'broken.example': { fault: 'servfail' },
  'refusing.example': { fault: 'refused' },
  'silent.example': { fault: 'timeout' },
  'late.example': { MX: [mx('mx1.good.example')], latency_ms: 600 },
}

let dns: DnsEmulator

beforeAll(async () => {
  dns = await startDns({ port: 0, scenario: { names } })
})

beforeEach(() => dns.setScenario({ names }))

afterAll(() => dns.close())

const lookup = (domain: string, timeoutMs = 2_000, signal?: AbortSignal) =>
  createMailDns({ servers: [dns.address], timeoutMs, tries: 1 })(domain, signal)

const route = (status: string, hosts: string[] = [], points_inward = false) =>
  known({ status, hosts, points_inward })

describe('the mail route', () => {
  test.each([
    ['good.example', route('mx', ['mx1.good.example', 'mx2.good.example'])],
    ['alias.example', route('mx', ['mx1.good.example', 'mx2.good.example'])],
    ['null.example', route('null_mx')],
    ['address.example', route('implicit_mx', ['address.example'])],
    ['address6.example', route('implicit_mx', ['address6.example'])],
    ['text-only.example', route('no_mail')],
    ['unheard-of.example', route('nxdomain')],
  ])('%s', async (domain, expected) => {
    expect(await lookup(domain)).toEqual(expected)
  })

  test('a denial is believed from a resolver that knows the top-level domain', async () => {
    dns.setScenario({ names: { com: { NS: ['a.gtld-servers.example'] } } })
    expect(await lookup('unheard-of.com')).toEqual(route('nxdomain'))
    dns.setScenario({ names: { 'other.com': { A: ['198.51.100.9'] } } })
    expect(await lookup('unheard-of.com')).toEqual(route('nxdomain'))
  })

  test('a denial is not believed from a resolver without a connection to the internet', async () => {
    dns.setScenario({ names: {} })
    expect(await lookup('gmail.com')).toEqual(unknown('unreachable'))
    expect(await lookup('shop.co.uk')).toEqual(unknown('unreachable'))
    // A name under no public suffix needs no proof.
    expect(await lookup('shop.example')).toEqual(route('nxdomain'))
  })

  test('hosts of an answer are ordered by preference', async () => {
    const answer = await lookup('large.example')
    expect(answer).toMatchObject({ known: true, value: { status: 'mx' } })
    const expected = Array.from({ length: 40 }, (_, index) => `mx${index}.large.example`)
    expect(answer.known && answer.value.hosts).toEqual(expected)
  })

  test('a truncated answer is fetched over TCP', async () => {
    dns.setScenario({
      names: { ...names, 'good.example': { MX: [mx('a.b')], fault: 'truncated' } },
    })
    const before = dns.requests.length
    expect(await lookup('good.example')).toEqual(route('mx', ['a.b']))
    const transports = dns.requests
      .slice(before)
      .filter(({ name }) => name === 'good.example')
      .map(({ transport }) => transport)
    expect(transports).toEqual(['udp', 'tcp'])
  })
})

describe('mail that points inward', () => {
  test.each([
    ['localhost.example', ['localhost']],
    ['sub-localhost.example', ['mail.localhost']],
    ['literal.example', ['127.0.0.1']],
    ['private.example', ['mx1.good.example', 'inside.example']],
    ['linklocal.example', ['inside6.example']],
  ])('%s', async (domain, hosts) => {
    expect(await lookup(domain)).toEqual(route('mx', hosts, true))
  })

  test('the address of an implicit MX counts too', async () => {
    const expected = route('implicit_mx', ['inward-address.example'], true)
    expect(await lookup('inward-address.example')).toEqual(expected)
  })

  test.each([
    ['dangling.example', 'nowhere.example'],
    ['broken-host.example', 'broken.example'],
  ])('%s: a host that cannot be resolved leaves the route known', async (domain, host) => {
    expect(await lookup(domain)).toEqual(route('mx', [host]))
  })

  test('a host whose server does not answer leaves the route known', async () => {
    expect(await lookup('silent-host.example', 300)).toEqual(route('mx', ['silent.example']))
  })
})

describe('servers that fail', () => {
  test.each([
    ['broken.example', 'server_error'],
    ['refusing.example', 'refused'],
  ] as const)('%s is unknown: %s', async (domain, reason) => {
    expect(await lookup(domain)).toEqual(unknown(reason))
  })

  test.each(['silent.example', 'late.example'])('%s is unknown: timeout', async (domain) => {
    expect(await lookup(domain, 100)).toEqual(unknown('timeout'))
  })

  test('an address query that fails after an empty MX answer is unknown, not no_mail', async () => {
    const half: DnsScenario['names'][string] = { fault: 'servfail', fault_types: ['A', 'AAAA'] }
    dns.setScenario({ names: { 'half.example': half } })
    expect(await lookup('half.example')).toEqual(unknown('server_error'))
  })

  test('one address family that fails does not matter when the other has an answer', async () => {
    const half: DnsScenario['names'][string] = {
      A: ['198.51.100.9'],
      fault: 'servfail',
      fault_types: ['AAAA'],
    }
    dns.setScenario({ names: { 'half.example': half } })
    expect(await lookup('half.example')).toEqual(route('implicit_mx', ['half.example']))
  })

  test('no server at the address is unknown: unreachable or timeout', async () => {
    const gone = await startDns({ port: 0, scenario: { names } })
    await gone.close()
    const lookupMail = createMailDns({ servers: [gone.address], timeoutMs: 300 })
    const answer = await lookupMail('good.example')
    expect(answer.known).toBe(false)
    expect(['unreachable', 'timeout']).toContain(answer.known ? '' : answer.reason)
  })

  test('a name that DNS cannot carry is not applicable', async () => {
    expect(await lookup(`${'a'.repeat(64)}.example`)).toEqual(unknown('not_applicable'))
    expect(await lookup('a..example')).toEqual(unknown('not_applicable'))
  })

  test('an aborted signal ends the look-up', async () => {
    const controller = new AbortController()
    const answer = lookup('silent.example', 60_000, controller.signal)
    controller.abort()
    expect(await answer).toEqual(unknown('timeout'))
  })

  test('a malformed server address throws on creation', () => {
    expect(() => createMailDns({ servers: ['not an address'], timeoutMs: 1 })).toThrow()
  })
})
