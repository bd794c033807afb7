import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startHttp } from '../../../../../emulators/http-server.ts'
import {
  example,
  type RdapEmulator,
  type RdapScenario,
  startRdap,
} from '../../../../../emulators/rdap.ts'
import { known, unknown } from '../../../../platform/lookup.ts'
import { createDomainRegistration, type DomainRegistrationOptions } from './domain-registration.ts'

const registered = (registered_at: string | null) => known({ status: 'registered', registered_at })
const notRegistered = known({ status: 'not_registered', registered_at: null })
const OLD = '2001-03-14T09:26:53.000Z'

const scenario: RdapScenario = {
  ...example,
  suffixes: ['example', 'xn--bcher-kva'],
  domains: {
    ...example.domains,
    'xn--bcher-kva.example': { registered_at: '2010-01-01T02:00:00+02:00' },
    'twice.example': { redirect_to: '/domain/moved.example' },
    'thrice.example': { redirect_to: '/domain/twice.example' },
    'too-far.example': { redirect_to: '/domain/thrice.example' },
    'circle.example': { redirect_to: '/domain/circle.example' },
    'odd.example': { redirect_to: 'ftp://files.example/' },
  },
}

let rdap: RdapEmulator
let now = new Date('2026-02-01T12:00:00Z')

beforeAll(async () => {
  rdap = await startRdap({ port: 0, scenario })
})

beforeEach(() => {
  rdap.setScenario(scenario)
  rdap.requests.length = 0
  rdap.whois.requests.length = 0
})

afterAll(() => rdap.close())

async function create(overrides: Partial<DomainRegistrationOptions> = {}) {
  const registration = createDomainRegistration({
    bootstrapUrl: rdap.bootstrap_url,
    whoisHost: rdap.whois.address,
    timeoutMs: 2_000,
    now: () => now,
    ...overrides,
  })
  await registration.refreshServers()
  rdap.requests.length = 0
  return registration.lookupRegistration
}

describe('by RDAP', () => {
  test.each([
    ['old.example', registered(OLD)],
    ['OLD.Example', registered(OLD)],
    ['undated.example', registered(null)],
    ['bücher.example', registered('2010-01-01T00:00:00.000Z')],
    ['free.example', notRegistered],
  ])('%s', async (domain, expected) => {
    const lookup = await create()
    expect(await lookup(domain)).toEqual(expected)
    expect(rdap.whois.requests).toEqual([])
  })

  test('requests RDAP for the domain and nothing else', async () => {
    const lookup = await create()
    await lookup('old.example')
    expect(rdap.requests).toHaveLength(1)
    expect(rdap.requests[0]).toMatchObject({ method: 'GET', path: '/domain/old.example' })
    expect(rdap.requests[0]?.headers['accept']).toContain('application/rdap+json')
  })

  test.each(['moved.example', 'twice.example', 'thrice.example'])(
    '%s is found through redirects',
    async (domain) => {
      const lookup = await create()
      expect(await lookup(domain)).toEqual(registered(OLD))
    },
  )

  test.each(['too-far.example', 'circle.example', 'odd.example'])(
    '%s ends in no answer and is a bad answer',
    async (domain) => {
      const lookup = await create()
      expect(await lookup(domain)).toEqual(unknown('bad_answer'))
      expect(rdap.requests.length).toBeLessThanOrEqual(4)
    },
  )

  test('a server that answers 429 gets no request for as long as it demands', async () => {
    const lookup = await create()
    rdap.setScenario({ ...scenario, fault: '429', retry_after_s: 120 })
    expect(await lookup('old.example')).toEqual(unknown('rate_limited'))
    rdap.setScenario(scenario)
    now = new Date(now.getTime() + 119_000)
    expect(await lookup('new.example')).toEqual(unknown('rate_limited'))
    expect(rdap.requests).toHaveLength(1)
    now = new Date(now.getTime() + 2_000)
    expect(await lookup('old.example')).toEqual(registered(OLD))
  })

  test('a 429 without a time counts for a minute', async () => {
    const lookup = await create()
    await lookup('busy.example')
    now = new Date(now.getTime() + 59_000)
    expect(await lookup('old.example')).toEqual(unknown('rate_limited'))
    now = new Date(now.getTime() + 2_000)
    expect(await lookup('old.example')).toEqual(registered(OLD))
  })

  test.each([
    ['500', 'server_error'],
    ['reset', 'unreachable'],
    ['invalid_json', 'bad_answer'],
  ] as const)('%s is unknown: %s', async (fault, reason) => {
    const lookup = await create()
    rdap.setScenario({ ...scenario, fault })
    expect(await lookup('old.example')).toEqual(unknown(reason))
  })

  test.each(['hang', 'drip'] as const)('%s is unknown: timeout', async (fault) => {
    const lookup = await create({ timeoutMs: 80 })
    rdap.setScenario({ ...scenario, fault })
    expect(await lookup('old.example')).toEqual(unknown('timeout'))
  })

  test('a response after the deadline is unknown: timeout, also after a redirect', async () => {
    const lookup = await create({ timeoutMs: 80 })
    const domains = {
      ...scenario.domains,
      'to-slow.example': { redirect_to: '/domain/slow.example' },
    }
    rdap.setScenario({ ...scenario, domains })
    expect(await lookup('slow.example')).toEqual(unknown('timeout'))
    expect(await lookup('to-slow.example')).toEqual(unknown('timeout'))
  })

  test.each([[], {}, { objectClassName: 'entity' }, 'text', null])(
    '%j is a bad answer',
    async (body) => {
      const odd = await startHttp({
        port: 0,
        host: '127.0.0.1',
        handle: ({ path }) =>
          path === '/dns.json'
            ? { status: 200, body: { services: [[['example'], [`${odd.url}/`]]] } }
            : { status: 200, body },
      })
      const lookup = await create({ bootstrapUrl: `${odd.url}/dns.json` })
      expect(await lookup('old.example')).toEqual(unknown('bad_answer'))
      await odd.close()
    },
  )
})

describe('by WHOIS, for domains without RDAP', () => {
  test('the registry is found through the referral, which is cached', async () => {
    const lookup = await create()
    expect(await lookup('old.invalid')).toEqual(registered('2003-05-06T07:08:09.000Z'))
    expect(await lookup('free.invalid')).toEqual(notRegistered)
    expect(rdap.whois.requests).toEqual(['invalid', 'old.invalid', 'free.invalid'])
  })

  test('the referral is looked up again after a day', async () => {
    const lookup = await create()
    await lookup('old.invalid')
    now = new Date(now.getTime() + 86_400_001)
    await lookup('old.invalid')
    expect(rdap.whois.requests).toEqual(['invalid', 'old.invalid', 'invalid', 'old.invalid'])
  })

  test('a top-level domain without a server is not applicable', async () => {
    const lookup = await create()
    expect(await lookup('shop.nowhere')).toEqual(unknown('not_applicable'))
  })

  test.each(['hang', 'drip'] as const)('%s is unknown: timeout', async (fault) => {
    const lookup = await create({ timeoutMs: 80 })
    rdap.setScenario({ ...scenario, whois: { queries: {}, fault } })
    expect(await lookup('old.invalid')).toEqual(unknown('timeout'))
  })

  test('a broken connection is unknown: unreachable', async () => {
    const lookup = await create()
    rdap.setScenario({ ...scenario, whois: { queries: {}, fault: 'reset' } })
    expect(await lookup('old.invalid')).toEqual(unknown('unreachable'))
  })

  test('an endless answer is a bad answer', async () => {
    const lookup = await create()
    const text = 'x'.repeat(300_000)
    rdap.setScenario({ ...scenario, whois: { queries: { invalid: { text } } } })
    expect(await lookup('old.invalid')).toEqual(unknown('bad_answer'))
  })

  test('without a WHOIS server it is not configured', async () => {
    const lookup = await create({ whoisHost: undefined })
    expect(await lookup('old.invalid')).toEqual(unknown('not_configured'))
  })
})

describe('a text that is not a registrable domain', () => {
  test.each([
    '',
    'example',
    'a..example',
    'a b.example',
    'old.example\r\nquit',
    'a/b.example',
    '.',
  ])('%j is not looked up', async (domain) => {
    const lookup = await create()
    expect(await lookup(domain)).toEqual(unknown('not_applicable'))
    expect(rdap.requests).toEqual([])
    expect(rdap.whois.requests).toEqual([])
  })

  test('a caller that has given up gets a timeout', async () => {
    const lookup = await create()
    expect(await lookup('old.example', AbortSignal.abort())).toEqual(unknown('timeout'))
  })
})
