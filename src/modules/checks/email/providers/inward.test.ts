/** Registries are strangers: where they send on to must not be inside our own network. */
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

/** The loopback network stands for the whole world here: one of its addresses is inside. */
const OUTSIDE = '127.0.0.1'
const INSIDE = '127.0.0.2'
const isInward = (address: string) => address === INSIDE

describe('a redirect of RDAP', () => {
  const domains = { 'shop.example': { registered_at: REGISTERED_AT } }
  const redirected = async (host: string, trust: ReturnType<RdapOptions['trustIn']>) => {
    const inside = await start(host, { domains })
    const registry = await start(OUTSIDE, {
      domains: { 'shop.example': { redirect_to: `${inside.url}domain/shop.example` } },
    })
    const lookup = createRdap({ now, trustIn: () => trust, isInward })
    return { answer: await lookup(registry.url, 'shop.example', deadline()), inside }
  }

  test.each(['stranger', 'named'] as const)('of a %s does not lead inside', async (trust) => {
    const { answer, inside } = await redirected(INSIDE, trust)
    expect(answer).toEqual(unknown('unreachable'))
    expect(inside.requests).toEqual([])
  })

  test.each(['stranger', 'named'] as const)('of a %s leads elsewhere', async (trust) => {
    expect((await redirected(OUTSIDE, trust)).answer).toEqual(registered)
  })

  test('of our own server may stay inside', async () => {
    expect((await redirected(INSIDE, 'own')).answer).toEqual(registered)
  })

  test('to a name that means an inward address leads nowhere', async () => {
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

describe('a server of RDAP', () => {
  test('that a stranger lists at an inward address is not asked', async () => {
    const inside = await start(INSIDE, {})
    const lookup = createRdap({ now, trustIn: () => 'stranger', isInward })
    const answer = await lookup(inside.url, 'shop.example', deadline())
    expect(answer).toEqual(unknown('unreachable'))
    expect(inside.requests).toEqual([])
  })
})

describe('a referral of WHOIS', () => {
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

  test('of a server outside does not lead inside', async () => {
    const { answer, registry } = await referred(OUTSIDE, INSIDE)
    expect(answer).toEqual(unknown('unreachable'))
    expect(registry.whois.requests).toEqual([])
  })

  test('of a server outside leads elsewhere', async () => {
    expect((await referred(OUTSIDE, OUTSIDE)).answer).toEqual(registered)
  })

  test('of a server inside may stay there', async () => {
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

  test('of a server of the operator counts', () => {
    expect(referredServer('127.0.0.1:4343', false)).toEqual({ host: '127.0.0.1', port: 4343 })
    expect(referredServer('127.0.0.1:99999', false)).toEqual({ host: '127.0.0.1', port: 43 })
  })
})

describe('the operator', () => {
  test('may name servers inside, which may send on to their like', async () => {
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
