import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DnsEmulator, startDns } from '../../../emulators/dns.ts'
import { known, unknown } from '../lookup.ts'
import { createDns, dnsAbsence, failureOfDns } from './dns.ts'

const withCode = (code: string) => Object.assign(new Error(code), { code })

let dns: DnsEmulator

beforeAll(async () => {
  dns = await startDns({
    port: 0,
    scenario: {
      names: {
        'here.example': { A: ['192.0.2.1'] },
        'late.example': { A: ['192.0.2.2'], latency_ms: 200 },
        'silent.example': { fault: 'timeout' },
      },
    },
  })
})

afterAll(() => dns.close())

describe('createDns', () => {
  test('queries the configured servers', async () => {
    const ask = createDns({ servers: [dns.address], timeoutMs: 2_000 })
    const answer = await ask({}, async (resolver) => known(await resolver.resolve4('here.example')))
    expect(answer).toEqual(known(['192.0.2.1']))
  })

  test('one deadline covers all queries of a look-up', async () => {
    const ask = createDns({ servers: [dns.address], timeoutMs: 120, tries: 50 })
    const answer = await ask({}, async (resolver) => {
      for (;;) await resolver.resolve4('silent.example').catch(() => undefined)
    })
    expect(answer).toEqual(unknown('timeout'))
  })

  test('a remaining deadline may have fractions of a millisecond', async () => {
    const ask = createDns({ servers: [dns.address], timeoutMs: 2_000 })
    const answer = ask({ timeoutMs: 1_234.5 }, async (resolver) =>
      known(await resolver.resolve4('here.example')),
    )
    expect(await answer).toEqual(known(['192.0.2.1']))
  })

  test('an unresponsive server leaves the next ones time to answer', async () => {
    const silent = await startDns({ scenario: { names: {}, fault: 'timeout' } })
    try {
      const servers = [silent.address, dns.address]
      const ask = createDns({ servers, timeoutMs: 2_000 })
      const lookups = [{}, { timeoutMs: 1_200 }].map((deadline) =>
        ask(deadline, async (resolver) => known(await resolver.resolve4('here.example'))),
      )
      const answer = known(['192.0.2.1'])
      expect(await Promise.all(lookups)).toEqual([answer, answer])
      expect(silent.requests.length).toBeGreaterThan(0)
    } finally {
      await silent.close()
    }
  })

  test('a canceled look-up does not cancel another one', async () => {
    const ask = createDns({ servers: [dns.address], timeoutMs: 5_000 })
    const [silent, here] = await Promise.all([
      ask({ timeoutMs: 20 }, async (resolver) => known(await resolver.resolve4('silent.example'))),
      ask({}, async (resolver) => known(await resolver.resolve4('late.example'))),
    ])
    expect(silent).toEqual(unknown('timeout'))
    expect(here).toEqual(known(['192.0.2.2']))
  })

  test('an unhandled error of the work becomes an unknown with its reason', async () => {
    const ask = createDns({ servers: [dns.address], timeoutMs: 2_000 })
    const answer = await ask({}, async (resolver) => known(await resolver.resolve4('a..b')))
    expect(answer).toEqual(unknown('not_applicable'))
  })
})

describe('errors of node:dns', () => {
  test.each([
    ['ENOTFOUND', 'nxdomain'],
    ['ENODATA', 'nodata'],
    ['ESERVFAIL', undefined],
  ])('%s means absence: %s', (code, absence) => {
    expect(dnsAbsence(withCode(code))).toBe(absence)
  })

  test.each([
    ['ETIMEOUT', 'timeout'],
    ['ECANCELLED', 'timeout'],
    ['ECONNREFUSED', 'unreachable'],
    ['EREFUSED', 'refused'],
    ['ESERVFAIL', 'server_error'],
    ['EBADNAME', 'not_applicable'],
    ['EBADRESP', 'bad_answer'],
    ['EFORMERR', 'bad_answer'],
  ])('%s means failure: %s', (code, failure) => {
    expect(failureOfDns(withCode(code))).toBe(failure)
  })
})
