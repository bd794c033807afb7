/** Redirects and referrals of registries must not lead to inward addresses. */
import { afterEach, describe, expect, test } from 'vitest'
import { type RdapEmulator, type RdapScenario, startRdap } from '../../../../../emulators/rdap.ts'
import { known, unknown } from '../../../../platform/lookup.ts'
import { createDomainRegistration } from './domain-registration.ts'
import { createRdap, type RdapOptions } from './rdap.ts'
import { createWhois, referredServer } from './whois.ts'

const running: RdapEmulator[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((emulator) => emulator.close()))
})

async function start(host: string, scenario: Partial<RdapScenario>): Promise<RdapEmulator> {
  const emulator = await startRdap({ host, scenario: { domains: {}, ...scenario } })
  running.push(emulator)
  return emulator
}

const now = () => new Date('2026-02-01T12:00:00Z')
const REGISTERED_AT = '2001-03-14T09:26:53.000Z'
const registered = known({ status: 'registered', registered_at: REGISTERED_AT })
const deadline = () => ({ timeoutMs: 2_000, signal: AbortSignal.timeout(2_000) })

/** The loopback network represents the internet here; one of its addresses is inward. */
const OUTSIDE = '127.0.0.1'
const INSIDE = '127.0.0.2'
const isInward = (address: string) => address === INSIDE

describe('an RDAP redirect', () => {
  const domains = { 'shop.example': { registered_at: REGISTERED_AT } }
  const redirected = async (host: string, trust: ReturnType<RdapOptions['trustIn']>) => {
    const inside = await start(host, { domains })
    const registry = await start(OUTSIDE, {
      domains: { 'shop.example': { redirect_to: `${inside.url}domain/shop.example` } },
    })
    const lookup = createRdap({ now, trustIn: () => trust, isInward })
    return { answer: await lookup(registry.url, 'shop.example', deadline()), inside }
  }

  test.each(['stranger', 'named'] as const)(
    'of a %s server is not followed to an inward address',
    async (trust) => {
      const { answer, inside } = await redirected(INSIDE, trust)
      expect(answer).toEqual(unknown('unreachable'))
      expect(inside.requests).toEqual([])
    },
  )

  test.each(['stranger', 'named'] as const)(
    'of a %s server is followed to an outward address',
    async (trust) => {
      expect((await redirected(OUTSIDE, trust)).answer).toEqual(registered)
    },
  )

  test('of our own server is followed to an inward address', async () => {
    expect((await redirected(INSIDE, 'own')).answer).toEqual(registered)
  })

  test('is not followed to a name that resolves to an inward address', async () => {
    const inside = await start(OUTSIDE, { domains })
    const registry = await start(INSIDE, {
      domains: {
        'shop.example': { redirect_to: `http://localhost:${inside.port}/domain/shop.example` },
      },
    })
    const isLoopback = (address: string) => address === OUTSIDE || address === '::1'
    const lookup = createRdap({ now, trustIn: () => 'named', isInward: isLoopback })
    const answer = await lookup(registry.url, 'shop.example', deadline())
    expect(answer).toEqual(unknown('unreachable'))
    expect(inside.requests).toEqual([])
  })
})

describe('an RDAP server', () => {
  test('that a stranger lists at an inward address gets no request', async () => {
    const inside = await start(INSIDE, {})
    const lookup = createRdap({ now, trustIn: () => 'stranger', isInward })
    const answer = await lookup(inside.url, 'shop.example', deadline())
    expect(answer).toEqual(unknown('unreachable'))
    expect(inside.requests).toEqual([])
  })
})

describe('a WHOIS referral', () => {
  const text = `Domain: shop.invalid\r\nCreated: ${REGISTERED_AT}\r\n`
  const referred = async (from: string, to: string, host = to) => {
    const registry = await start(to, { whois: { queries: { 'shop.invalid': { text } } } })
    const { port } = registry.whois
    const root = await start(from, {
      whois: { queries: { invalid: { text: `refer: ${host}:${port}\r\n` } } },
    })
    const lookup = createWhois({ whoisHost: root.whois.address, now, isInward })
    return { answer: await lookup('shop.invalid', deadline().signal), registry }
  }

  test('of an outward server is not followed to an inward address', async () => {
    const { answer, registry } = await referred(OUTSIDE, INSIDE)
    expect(answer).toEqual(unknown('unreachable'))
    expect(registry.whois.requests).toEqual([])
  })

  test('of an outward server is followed to an outward address', async () => {
    expect((await referred(OUTSIDE, OUTSIDE)).answer).toEqual(registered)
  })

  test('of an inward server is followed to an inward address', async () => {
    expect((await referred(INSIDE, INSIDE)).answer).toEqual(registered)
  })
})

describe('the port in a referral', () => {
  test.each([
    ['whois.nic.example:6379', 'whois.nic.example'],
    ['[2001:db8::1]:25', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['whois.nic.example', 'whois.nic.example'],
  ])('of IANA is always 43: %s', (text, host) => {
    expect(referredServer(text, true)).toEqual({ host, port: 43 })
  })

  test("is used when the operator's server names it", () => {
    expect(referredServer('127.0.0.1:4343', false)).toEqual({ host: '127.0.0.1', port: 4343 })
    expect(referredServer('127.0.0.1:99999', false)).toEqual({ host: '127.0.0.1', port: 43 })
  })
})

describe('the operator', () => {
  test('can name inward servers, which can redirect to others', async () => {
    const second = await start(OUTSIDE, {
      domains: { 'shop.example': { registered_at: REGISTERED_AT } },
    })
    const first = await start(OUTSIDE, {
      suffixes: ['example'],
      domains: { 'shop.example': { redirect_to: `${second.url}domain/shop.example` } },
    })
    const { lookupRegistration } = createDomainRegistration({
      bootstrapUrl: first.bootstrap_url,
      timeoutMs: 2_000,
      now,
    })
    expect(await lookupRegistration('shop.example')).toEqual(registered)
  })
})
