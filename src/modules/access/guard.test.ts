import { describe, expect, it, vi } from 'vitest'
import { type BareOptions, createBareServer } from '../../../test/support/bare-server.ts'
import type { App } from '../../platform/http/app.ts'
import { createLog } from '../../platform/log.ts'
import type { Principal, Scope } from '../keys/index.ts'
import type { Access } from './declaration.ts'

function serve(access: Access): App {
  const app = createBareServer()
  app.get('/thing', { config: { access } }, () => ({ success: true }))
  return app
}

async function answer(app: App, headers: Record<string, string>) {
  const { statusCode, body } = await app.inject({ url: '/thing', headers })
  return [statusCode, (JSON.parse(body) as { message?: string }).message]
}

const SECRET = { 'x-api-key': 'secret' }
const PUBLIC = { 'x-api-key': 'public' }
const TOKEN = { authorization: 'Bearer token' }
const BOTH = { ...SECRET, ...TOKEN }
const OK = [200, undefined]
const NO_KEY = [401, 'Missing X-API-Key header']
const BAD_KEY = [401, 'Invalid API key']
const NO_TOKEN = [401, 'Missing Authorization bearer token']
const BAD_LINK = [401, 'This link is no longer valid']
const BAD_TOKEN = [401, 'Invalid access token']

describe('a route declares who may call it', () => {
  it.each<[Access, string, Record<string, string>, unknown]>([
    ['public', 'no credential', {}, OK],
    ['public', 'a bad key', { 'x-api-key': 'nonsense' }, OK],
    ['secret_key', 'a secret key', SECRET, OK],
    ['secret_key', 'a key and a token', BOTH, OK],
    ['secret_key', 'a public key', PUBLIC, [403, 'A secret key is required']],
    ['secret_key', 'no credential', {}, NO_KEY],
    ['secret_key', 'an empty key', { 'x-api-key': '' }, NO_KEY],
    ['secret_key', 'an unknown key', { 'x-api-key': 'nonsense' }, BAD_KEY],
    ['secret_key', 'a token', TOKEN, NO_KEY],
    ['secret_key', 'the key as a token', { authorization: 'Bearer secret' }, NO_KEY],
    ['any_key', 'a secret key', SECRET, OK],
    ['any_key', 'a public key', PUBLIC, OK],
    ['any_key', 'no credential', {}, NO_KEY],
    ['any_key', 'an unknown key', { 'x-api-key': 'nonsense' }, BAD_KEY],
    ['user', 'a token', TOKEN, OK],
    ['user', 'a key and a token', BOTH, OK],
    ['user', 'a token, spelled bearer', { authorization: 'bearer token' }, OK],
    ['user', 'a key', SECRET, NO_TOKEN],
    ['user', 'a key as a token', { authorization: 'Bearer secret' }, BAD_TOKEN],
    ['user', 'another scheme', { authorization: 'Basic token' }, NO_TOKEN],
    ['user', 'a scheme without a token', { authorization: 'Bearer ' }, NO_TOKEN],
    ['portal_link', 'a link', { authorization: 'Bearer link' }, OK],
    ['portal_link', 'no credential', {}, [401, 'Missing portal link']],
    ['portal_link', 'an unknown link', { authorization: 'Bearer other' }, BAD_LINK],
    ['portal_link', 'a token', TOKEN, BAD_LINK],
    ['portal_link', 'a key', SECRET, [401, 'Missing portal link']],
    ['user', 'a link', { authorization: 'Bearer link' }, BAD_TOKEN],
    ['user', 'two tokens', { authorization: 'Bearer token token' }, NO_TOKEN],
  ])('%s, called by %s', async (access, _, headers, expected) => {
    expect(await answer(serve(access), headers)).toEqual(expected)
  })

  it('and the server does not start with an undeclared route', async () => {
    const app = createBareServer()
    app.get('/open', () => ({}))
    await expect(app.ready()).rejects.toThrow('Route GET /open does not declare its access')
  })

  it('and the same applies to routes of plugins', async () => {
    const app = createBareServer()
    await app.register((scope, _options, done) => {
      scope.post('/open', () => ({}))
      done()
    })
    await expect(app.ready()).rejects.toThrow('Route POST /open does not declare its access')
  })
})

describe('a limited key', () => {
  const ask = async (scope: Scope | undefined, limits: Pick<Principal, 'scopes' | 'networks'>) => {
    const key = {
      org_id: 'org',
      key_id: 'key',
      mode: 'live',
      kind: 'secret',
      plan: 'free',
      cell: 'main',
    } as const
    const app = createBareServer({
      authenticators: { key: () => Promise.resolve({ ...key, ...limits }) },
    })
    const config = { access: 'secret_key' as const, ...(scope && { scope }) }
    app.get('/thing', { config }, () => ({ success: true }))
    return await answer(app, SECRET)
  }
  const scoped = (...scopes: Scope[]) => ({ scopes, networks: null })
  const within = (...networks: string[]) => ({ scopes: null, networks })
  const NO_SCOPE = [403, 'This API key does not have the scope orders:write']
  const OTHERS = [403, 'This API key is limited to other operations']
  const NO_NETWORK = [403, 'This API key may not be used from 127.0.0.1']

  it.each([
    ['with the scope', 'orders:write' as const, scoped('rum:read', 'orders:write'), OK],
    ['without the scope', 'orders:write' as const, scoped('rum:read'), NO_SCOPE],
    ['on a route without a scope', undefined, scoped('rum:read'), OTHERS],
    ['in one of its networks', undefined, within('10.0.0.0/8', '127.0.0.0/8'), OK],
    ['outside of its networks', undefined, within('10.0.0.0/8', '::1'), NO_NETWORK],
  ])('%s', async (_, scope, limits, expected) => {
    expect(await ask(scope, limits)).toEqual(expected)
  })
})

describe('a public key', () => {
  const serveLimited = (options: Pick<BareOptions, 'hold' | 'log'> = {}) => {
    const authenticators = {
      key: (text: string) =>
        Promise.resolve({
          org_id: text.slice(-1),
          key_id: text,
          mode: 'live' as const,
          kind: text.startsWith('secret') ? ('secret' as const) : ('public' as const),
          plan: 'starter' as const,
          cell: 'main',
          scopes: null,
          networks: null,
        }),
    }
    const app = createBareServer({
      rate_limit: { points: 6, window_seconds: 60 },
      limits: { rum_network: { points: 3, window_seconds: 60 } },
      authenticators,
      ...options,
    })
    const config = {
      access: 'any_key',
      rate_class: 'rum',
      network_rate_class: 'rum_network',
    } as const
    app.post('/events', { config }, () => ({}))
    return async (key: string, remoteAddress: string, headers = {}) =>
      (
        await app.inject({
          method: 'POST',
          url: '/events',
          headers: { 'x-api-key': key, ...headers },
          remoteAddress,
        })
      ).statusCode
  }

  it('has a limit per client network, which leaves the rest of its limit to other networks', async () => {
    const send = serveLimited()
    const [one, other] = ['203.0.113.7', '203.0.113.8']
    for (let count = 0; count < 3; count += 1) expect(await send('public-a', one)).toBe(200)
    expect(await Promise.all([1, 2, 3, 4].map(async () => await send('public-a', one)))).toEqual([
      429, 429, 429, 429,
    ])
    for (let count = 0; count < 3; count += 1) expect(await send('public-a', other)).toBe(200)
    expect(await send('public-a', '203.0.113.9')).toBe(429)
  })

  it('does not count toward the limits of other keys, or of other organizations in its network', async () => {
    const send = serveLimited()
    const network = '203.0.113.7'
    for (let count = 0; count < 3; count += 1) await send('public-a', network)
    expect(await send('public-a', network)).toBe(429)
    expect(await send('public-b', network)).toBe(200)
    expect(await send('secret-a', network)).toBe(200)
  })

  it('is refused with one warning when a proxy that is not trusted forwards its requests', async () => {
    const lines: string[] = []
    const log = createLog('warn', { write: (line: string) => void lines.push(line) })
    const send = serveLimited({ log })
    const forwarded = { 'x-forwarded-for': '198.51.100.7' }
    for (let count = 0; count < 3; count += 1) await send('public-a', '203.0.113.7', forwarded)
    expect(lines.join('')).not.toContain('VIGIL_TRUSTED_PROXIES')
    await Promise.all([1, 2].map(async () => await send('public-a', '203.0.113.7', forwarded)))
    expect(lines.filter((line) => line.includes('VIGIL_TRUSTED_PROXIES'))).toHaveLength(1)
  })

  it('that exceeds a limit is held, so that a flood slows down', async () => {
    const hold = vi.fn(() => Promise.resolve())
    const send = serveLimited({ hold })
    for (let count = 0; count < 3; count += 1) await send('public-a', '203.0.113.7')
    expect(hold).not.toHaveBeenCalled()
    expect(await send('public-a', '203.0.113.7')).toBe(429)
    expect(hold).toHaveBeenCalledTimes(1)
  })
})

describe('the order of checks', () => {
  it('is credential, rate limit, body, so that an invalid body reveals nothing to strangers', async () => {
    const app = createBareServer({ rate_limit: { points: 1, window_seconds: 60 } })
    const config = { access: 'secret_key', rate_class: 'check' } as const
    app.post('/thing', { config }, () => ({}))
    const send = async (key: string) => {
      const headers = { 'x-api-key': key, 'content-type': 'application/json' }
      const sent = { method: 'POST', url: '/thing', headers, payload: '{' } as const
      return (await app.inject(sent)).statusCode
    }
    expect(await send('nonsense')).toBe(401)
    expect(await send('secret')).toBe(400)
    expect(await send('secret')).toBe(429)
    expect(await send('nonsense')).toBe(401)
  })

  it('does not apply to unknown paths, which are a 404 for everyone', async () => {
    const app = serve('secret_key')
    expect((await app.inject({ url: '/other' })).statusCode).toBe(404)
    expect((await app.inject({ method: 'POST', url: '/thing' })).statusCode).toBe(404)
  })
})

describe('the caller of a request', () => {
  it('is the one that the declaration of the route guarantees', async () => {
    const app = createBareServer()
    app.get('/key', { config: { access: 'any_key' } }, (request) => request.key)
    app.get('/user', { config: { access: 'user' } }, (request) => request.user)
    expect((await app.inject({ url: '/key', headers: BOTH })).json()).toMatchObject({
      org_id: 'org',
      kind: 'secret',
    })
    expect((await app.inject({ url: '/user', headers: BOTH })).json()).toEqual({ user_id: 'user' })
  })

  it('is a programming error to read when the declaration does not guarantee it', async () => {
    const app = createBareServer()
    app.get('/key', { config: { access: 'user' } }, (request) => request.key)
    app.get('/user', { config: { access: 'any_key' } }, (request) => request.user)
    expect((await app.inject({ url: '/key', headers: BOTH })).statusCode).toBe(500)
    expect((await app.inject({ url: '/user', headers: BOTH })).statusCode).toBe(500)
  })
})
