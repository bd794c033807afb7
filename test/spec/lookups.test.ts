/** Checks with DNS and registries that answer, are slow, or are unavailable. */
import { randomUUID } from 'node:crypto'
import { Resolver } from 'node:dns/promises'
import { describe, expect, it } from 'vitest'
import type { DnsScenario } from '../../emulators/dns.ts'
import type { RdapScenario } from '../../emulators/rdap-scenario.ts'
import { readConfig } from '../../src/config.ts'
import { known } from '../../src/platform/lookup.ts'
import { createDns } from '../../src/platform/net/dns.ts'
import { type Harness, openHarness, useHarness } from '../harness.ts'
import { newDomain } from '../support/samples.ts'

// Sufficient time for every source that answers at all.
const harness = useHarness({ settings: { VIGIL_CHECK_DEADLINE_MS: '5000' } })

type World = { dns?: Partial<DnsScenario>; rdap?: Partial<RdapScenario> }

const MAIL = { MX: [{ priority: 10, exchange: 'mx.mail.test' }] }
const MAIL_HOST = { 'mx.mail.test': { A: ['198.51.100.25'] } }
const OLD = { registered_at: '2001-03-14T09:26:53Z' }
const CLEAN = { domain_age_score: 0, mx_score: 0, disposable_score: 0, velocity_score: 0 }

function setWorld({ dns, rdap }: World, on: Harness = harness()): void {
  on.dns.setScenario({ ...dns, names: { ...MAIL_HOST, ...dns?.names } })
  on.rdap.setScenario({ suffixes: ['test'], ...rdap, domains: { ...rdap?.domains } })
}

const daysAgo = (days: number): string => new Date(Date.now() - days * 86_400_000).toISOString()

async function check(domain: string, on: Harness = harness()) {
  const { keys } = await on.createTenant()
  const body = { email: `jane@${domain}` }
  const answer = await on.call({ method: 'POST', path: '/v1/check', key: keys.live_secret, body })
  expect(answer.status).toBe(200)
  return answer.body.content as {
    risk_score: number
    risk_level: string
    signals: typeof CLEAN
  }
}

const mailQuestions = (on: Harness, domain: string) =>
  on.dns.requests.filter(({ name, type }) => name === domain && type === 'MX')
const registryQuestions = (on: Harness, domain: string) =>
  on.rdap.requests.filter(({ path }) => path === `/domain/${domain}`)

describe('the mail domain', () => {
  it('that is old and accepts mail adds no risk', async () => {
    const domain = newDomain()
    setWorld({ dns: { names: { [domain]: MAIL } }, rdap: { domains: { [domain]: OLD } } })
    expect(await check(domain)).toMatchObject({ risk_score: 0, signals: CLEAN })
  })

  it.each([
    [
      'declares that it accepts no mail (null MX)',
      { MX: [{ priority: 0, exchange: '.' }] },
      100,
      95,
    ],
    ['has neither mail servers nor an address', { TXT: ['nothing'] }, 85, 50],
    [
      'sends its mail to a loopback address',
      { MX: [{ priority: 1, exchange: 'localhost' }] },
      90,
      50,
    ],
    ['has only an address', { A: ['198.51.100.3'] }, 20, 0],
  ])('that %s', async (_, records, mx_score, riskMin) => {
    const domain = newDomain()
    setWorld({ dns: { names: { [domain]: records } }, rdap: { domains: { [domain]: OLD } } })
    const { risk_score, signals } = await check(domain)
    expect(signals).toEqual({ ...CLEAN, mx_score })
    expect(risk_score).toBeGreaterThanOrEqual(riskMin)
  })

  it('that does not exist (NXDOMAIN) is critical', async () => {
    setWorld({})
    const { risk_score, risk_level, signals } = await check(newDomain())
    expect(signals.mx_score).toBe(100)
    expect(risk_score).toBeGreaterThanOrEqual(95)
    expect(risk_level).toBe('critical')
  })

  it('adds more risk the newer it is', async () => {
    const scores: number[] = []
    for (const days of [0.5, 3, 20, 60, 200, 1000, 4000]) {
      const domain = newDomain()
      const registration = { registered_at: daysAgo(days) }
      setWorld({
        dns: { names: { [domain]: MAIL } },
        rdap: { domains: { [domain]: registration } },
      })
      scores.push((await check(domain)).signals.domain_age_score)
    }
    expect(scores[0]).toBeGreaterThan(90)
    expect(scores.at(-1)).toBe(0)
    expect(scores).toEqual(scores.toSorted((a, b) => b - a))
    expect(new Set(scores).size).toBe(scores.length)
  })

  it('of a big provider is known without a look-up', async () => {
    setWorld({})
    const before = harness().dns.requests.length
    expect(await check('gmail.com')).toMatchObject({ risk_score: 0 })
    expect(harness().dns.requests.length).toBe(before)
  })
})

describe('OP-6: an unavailable provider makes a signal unknown, which adds no risk', () => {
  it.each<[string, World]>([
    ['DNS fails', { dns: { fault: 'servfail' } }],
    ['DNS refuses', { dns: { fault: 'refused' } }],
    ['DNS does not answer', { dns: { fault: 'timeout' } }],
    ['the registry limits its rate', { rdap: { fault: '429' } }],
    ['the registry fails', { rdap: { fault: '500' } }],
    ['the registry hangs', { rdap: { fault: 'hang' } }],
    ['the registry answers too slowly', { rdap: { fault: 'drip' } }],
    ['the registry drops connections', { rdap: { fault: 'reset' } }],
    ['the registry answers invalid JSON', { rdap: { fault: 'invalid_json' } }],
    ['everything is unavailable', { dns: { fault: 'timeout' }, rdap: { fault: 'hang' } }],
  ])('%s', async (_, world) => {
    const domain = newDomain()
    // The domain was registered yesterday and accepts no mail, but no source says so.
    const names = { [domain]: { MX: [{ priority: 0, exchange: '.' }] } }
    const domains = { [domain]: { registered_at: daysAgo(1) } }
    setWorld({ dns: { ...world.dns, names }, rdap: { ...world.rdap, domains } }, brief())
    const { signals, risk_score } = await check(domain, brief())
    if (world.dns) expect(signals.mx_score).toBe(0)
    if (world.rdap) expect(signals.domain_age_score).toBe(0)
    if (world.dns && world.rdap) expect(risk_score).toBe(0)
  })

  const brief = useHarness({
    settings: { VIGIL_CHECK_DEADLINE_MS: '600', VIGIL_LOOKUP_TIMEOUT_MS: '300' },
  })
})

describe('OP-6: an expired answer', () => {
  let now = new Date()
  const later = useHarness({
    settings: { VIGIL_CHECK_DEADLINE_MS: '5000', VIGIL_LOOKUP_TIMEOUT_MS: '300' },
    clock: { now: () => now },
  })
  const passDays = (days: number) => {
    now = new Date(now.getTime() + days * 86_400_000)
  }

  it('adds no risk while the provider is unavailable', async () => {
    const domain = newDomain()
    setWorld({}, later())
    expect((await check(domain, later())).risk_score).toBeGreaterThanOrEqual(95)
    passDays(60)
    setWorld({ dns: { fault: 'servfail' }, rdap: { fault: '500' } }, later())
    expect(await check(domain, later())).toMatchObject({ risk_score: 0, signals: CLEAN })
  })

  it('still counts for the age of a domain, which cannot have changed', async () => {
    const domain = newDomain()
    const registered_at = new Date(now.getTime() - 3 * 86_400_000).toISOString()
    setWorld(
      { dns: { names: { [domain]: MAIL } }, rdap: { domains: { [domain]: { registered_at } } } },
      later(),
    )
    expect((await check(domain, later())).signals.domain_age_score).toBe(85)
    passDays(17)
    setWorld({ dns: { fault: 'servfail' }, rdap: { fault: '500' } }, later())
    expect((await check(domain, later())).signals).toEqual({ ...CLEAN, domain_age_score: 70 })
  })
})

describe('a look-up that is late', () => {
  const hasty = useHarness({ settings: { VIGIL_CHECK_DEADLINE_MS: '20' } })

  it('does not delay the check, finishes in the background, and is used by the next check', async () => {
    const domain = newDomain()
    const names = { [domain]: { MX: [{ priority: 0, exchange: '.' }] } }
    const domains = { [domain]: { registered_at: daysAgo(3) } }
    setWorld({ dns: { names, latency_ms: 300 }, rdap: { domains, latency_ms: 300 } }, hasty())
    const first = await check(domain, hasty())
    expect(first).toMatchObject({ risk_score: 0, signals: CLEAN })
    await hasty().services.checks.drain()
    const second = await check(domain, hasty())
    expect(second.signals).toMatchObject({ mx_score: 100, domain_age_score: 85 })
    expect(second.risk_score).toBeGreaterThanOrEqual(95)
    expect(mailQuestions(hasty(), domain)).toHaveLength(1)
    expect(registryQuestions(hasty(), domain)).toHaveLength(1)
  })

  it('does not change the check that did not wait for it', async () => {
    const { keys } = await hasty().createTenant()
    const domain = newDomain()
    setWorld({ dns: { names: {}, latency_ms: 100 } }, hasty())
    const body = { email: `jane@${domain}` }
    const call = hasty().call
    const first = await call({ method: 'POST', path: '/v1/check', key: keys.live_secret, body })
    await hasty().services.checks.drain()
    const path = `/v1/check/${first.body.content.check_id}`
    expect((await call({ method: 'GET', path, key: keys.live_secret })).body).toEqual(first.body)
  })
})

describe('one domain', () => {
  it('is looked up once for any number of concurrent checks', async () => {
    const domain = newDomain()
    const dns = { names: { [domain]: MAIL }, latency_ms: 50 }
    setWorld({ dns, rdap: { domains: { [domain]: OLD }, latency_ms: 50 } })
    await Promise.all(Array.from({ length: 10 }, () => check(domain)))
    expect(mailQuestions(harness(), domain)).toHaveLength(1)
    expect(registryQuestions(harness(), domain)).toHaveLength(1)
  })

  it('is looked up once for all nodes and organizations', async () => {
    const domain = newDomain()
    const world = { dns: { names: { [domain]: MAIL } }, rdap: { domains: { [domain]: OLD } } }
    setWorld(world)
    await check(domain)
    const other = await openHarness()
    try {
      setWorld(world, other)
      expect((await check(domain, other)).signals).toEqual(CLEAN)
      expect(mailQuestions(other, domain)).toEqual([])
      expect(registryQuestions(other, domain)).toEqual([])
    } finally {
      await other.close()
    }
  })

  it('has one registration for all its subdomains', async () => {
    const domain = newDomain()
    const names = { [`a.${domain}`]: MAIL, [`b.${domain}`]: MAIL }
    setWorld({ dns: { names }, rdap: { domains: { [domain]: OLD } } })
    await check(`a.${domain}`)
    await check(`b.${domain}`)
    expect(registryQuestions(harness(), domain)).toHaveLength(1)
  })
})

describe('without VIGIL_DNS_SERVERS', () => {
  it('the name servers of the system are used', async () => {
    const { dns_servers: servers } = readConfig({})
    const query = createDns({ servers, timeoutMs: 1000 })
    const used = await query({}, (resolver) => Promise.resolve(known(resolver.getServers())))
    expect(used).toEqual(known(new Resolver().getServers()))
    expect(servers).toEqual([])
  })
})

describe('the age of domains', () => {
  it('is not looked up when it is turned off', async () => {
    const off = await openHarness({ settings: { VIGIL_RDAP_ENABLED: 'false' } })
    try {
      const domain = newDomain()
      const domains = { [domain]: { registered_at: daysAgo(1) } }
      setWorld({ dns: { names: { [domain]: MAIL } }, rdap: { domains } }, off)
      expect((await check(domain, off)).signals).toEqual(CLEAN)
      expect(off.rdap.requests).toEqual([])
    } finally {
      await off.close()
    }
  })

  it('comes from WHOIS for registries without RDAP', async () => {
    const domain = `shop-${randomUUID().slice(0, 8)}.invalid`
    const refer = { text: 'refer:        {self}\r\n\r\ndomain:       INVALID\r\n' }
    const record = { text: `Domain Name: ${domain}\r\nCreation Date: ${daysAgo(3)}\r\n` }
    const whois = { queries: { invalid: refer, [domain]: record } }
    setWorld({ dns: { names: { [domain]: MAIL } }, rdap: { whois } })
    expect((await check(domain)).signals.domain_age_score).toBe(85)
  })
})
