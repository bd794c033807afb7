import { afterEach, describe, expect, test } from 'vitest'
import { type DnsEmulator, type DnsScenario, startDns } from '../../../emulators/dns.ts'
import { createTargetAddresses } from './target-addresses.ts'

const running: DnsEmulator[] = []

afterEach(async () => {
  await Promise.all(running.splice(0).map((dns) => dns.close()))
})

async function start(names: DnsScenario['names'], timeout_ms = 2_000) {
  const dns = await startDns({ port: 0, scenario: { names } })
  running.push(dns)
  const clock = { ms: 0 }
  const resolve = createTargetAddresses({
    servers: [dns.address],
    timeout_ms,
    now_ms: () => clock.ms,
  })
  return { dns, resolve, clock }
}

const found = (...addresses: string[]) => ({ kind: 'addresses', addresses })

describe('the addresses of a name', () => {
  test('are all of both families, IPv4 first', async () => {
    const { resolve } = await start({
      'a.example': { A: ['192.0.2.1', '192.0.2.2'], AAAA: ['2001:db8::1'] },
      'four.example': { A: ['192.0.2.1'] },
      'six.example': { AAAA: ['2001:db8::1'] },
      'alias.example': { CNAME: 'six.example' },
    })
    expect(await resolve('a.example')).toEqual(found('192.0.2.1', '192.0.2.2', '2001:db8::1'))
    expect(await resolve('four.example')).toEqual(found('192.0.2.1'))
    expect(await resolve('six.example')).toEqual(found('2001:db8::1'))
    expect(await resolve('alias.example')).toEqual(found('2001:db8::1'))
  })

  test('are empty when DNS reports none', async () => {
    const { resolve } = await start({ 'mail.example': { TXT: ['x'] } })
    expect(await resolve('mail.example')).toEqual({ kind: 'none' })
    expect(await resolve('missing.example')).toEqual({ kind: 'none' })
  })

  test('are those of one family when the query for the other fails', async () => {
    const A = ['192.0.2.1']
    const names = { 'a.example': { A, fault: 'servfail' as const, fault_types: ['AAAA'] } }
    const { resolve } = await start(names)
    expect(await resolve('a.example')).toEqual(found('192.0.2.1'))
  })

  test.each(['servfail', 'refused', 'timeout'] as const)(
    'are unknown when the server answers with %s, which does not mean absence',
    async (fault) => {
      const { resolve } = await start({ 'a.example': { fault } }, 100)
      expect(await resolve('a.example')).toEqual({ kind: 'failed' })
    },
  )

  test('are unknown when there are implausibly many', async () => {
    const A = Array.from({ length: 65 }, (_, last) => `192.0.2.${last}`)
    const { resolve } = await start({ 'a.example': { A } })
    expect(await resolve('a.example')).toEqual({ kind: 'failed' })
  })

  test('of localhost are never queried', async () => {
    const { resolve, dns } = await start({ localhost: { A: ['192.0.2.1'] } })
    expect(await resolve('localhost')).toEqual(found('127.0.0.1', '::1'))
    expect(await resolve('a.localhost')).toEqual(found('127.0.0.1', '::1'))
    expect(dns.requests).toEqual([])
  })
})

describe('an answer is cached', () => {
  const changing = (ttl: number) => ({
    'a.example': { ttl, sequence: [{ A: ['192.0.2.1'] }, { A: ['192.0.2.2'] }] },
  })

  test('for its time to live', async () => {
    const { resolve, clock } = await start(changing(30))
    expect(await resolve('a.example')).toEqual(found('192.0.2.1'))
    clock.ms = 29_999
    expect(await resolve('a.example')).toEqual(found('192.0.2.1'))
    clock.ms = 30_000
    expect(await resolve('a.example')).toEqual(found('192.0.2.2'))
  })

  test('for at most a minute', async () => {
    const { resolve, clock } = await start(changing(86_400))
    await resolve('a.example')
    clock.ms = 60_000
    expect(await resolve('a.example')).toEqual(found('192.0.2.2'))
  })

  test('not at all when its time to live is 0', async () => {
    const { resolve } = await start(changing(0))
    expect(await resolve('a.example')).toEqual(found('192.0.2.1'))
    expect(await resolve('a.example')).toEqual(found('192.0.2.2'))
  })

  test('for ten seconds when it has no address', async () => {
    const { resolve, clock } = await start({
      'a.example': { sequence: [{}, { A: ['192.0.2.1'] }] },
    })
    expect(await resolve('a.example')).toEqual({ kind: 'none' })
    clock.ms = 9_999
    expect(await resolve('a.example')).toEqual({ kind: 'none' })
    clock.ms = 10_000
    expect(await resolve('a.example')).toEqual(found('192.0.2.1'))
  })

  test('and shared by concurrent callers', async () => {
    const { resolve, dns } = await start({ 'a.example': { A: ['192.0.2.1'] } })
    await Promise.all([resolve('a.example'), resolve('a.example'), resolve('a.example')])
    expect(dns.requests.map(({ type }) => type).toSorted()).toEqual(['A', 'AAAA'])
  })
})
