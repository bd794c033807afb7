import { describe, expect, it } from 'vitest'
import { createBareServer } from '../../../test/support/bare-server.ts'
import { type Access, keyOf, userOf } from './access.ts'
import type { App } from './app.ts'

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
const BAD_TOKEN = [401, 'Invalid access token']

describe('a route says who may call it', () => {
  it.each<[Access, string, Record<string, string>, unknown]>([
    ['public', 'nobody in particular', {}, OK],
    ['public', 'a bad key', { 'x-api-key': 'nonsense' }, OK],
    ['secret_key', 'a secret key', SECRET, OK],
    ['secret_key', 'a key and a token', BOTH, OK],
    ['secret_key', 'a public key', PUBLIC, [403, 'A secret key is required']],
    ['secret_key', 'nobody', {}, NO_KEY],
    ['secret_key', 'an empty key', { 'x-api-key': '' }, NO_KEY],
    ['secret_key', 'an unknown key', { 'x-api-key': 'nonsense' }, BAD_KEY],
    ['secret_key', 'a token', TOKEN, NO_KEY],
    ['secret_key', 'the key as a token', { authorization: 'Bearer secret' }, NO_KEY],
    ['any_key', 'a secret key', SECRET, OK],
    ['any_key', 'a public key', PUBLIC, OK],
    ['any_key', 'nobody', {}, NO_KEY],
    ['any_key', 'an unknown key', { 'x-api-key': 'nonsense' }, BAD_KEY],
    ['portal', 'a token', TOKEN, OK],
    ['portal', 'a key and a token', BOTH, OK],
    ['portal', 'a token, spelled bearer', { authorization: 'bearer token' }, OK],
    ['portal', 'a key', SECRET, NO_TOKEN],
    ['portal', 'a key as a token', { authorization: 'Bearer secret' }, BAD_TOKEN],
    ['portal', 'another scheme', { authorization: 'Basic token' }, NO_TOKEN],
    ['portal', 'a scheme without a token', { authorization: 'Bearer ' }, NO_TOKEN],
    ['portal', 'two tokens', { authorization: 'Bearer token token' }, NO_TOKEN],
  ])('%s, called by %s', async (access, _, headers, expected) => {
    expect(await answer(serve(access), headers)).toEqual(expected)
  })

  it('and a server with a route that does not say it does not start', async () => {
    const app = createBareServer()
    app.get('/open', () => ({}))
    await expect(app.ready()).rejects.toThrow('Route GET /open does not declare its access')
  })

  it('and that holds for routes of plugins too', async () => {
    const app = createBareServer()
    await app.register((scope, _options, done) => {
      scope.post('/open', () => ({}))
      done()
    })
    await expect(app.ready()).rejects.toThrow('Route POST /open does not declare its access')
  })
})

describe('the order of refusals', () => {
  it('is credential, rate limit, body: a stranger learns nothing from a bad body', async () => {
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

  it('is nothing for a path that does not exist: it is a 404 for everybody', async () => {
    const app = serve('secret_key')
    expect((await app.inject({ url: '/other' })).statusCode).toBe(404)
    expect((await app.inject({ method: 'POST', url: '/thing' })).statusCode).toBe(404)
  })
})

describe('asking for the caller', () => {
  it('gives the one that the access of the route guarantees', async () => {
    const app = createBareServer()
    app.get('/key', { config: { access: 'any_key' } }, (request) => keyOf(request))
    app.get('/user', { config: { access: 'portal' } }, (request) => userOf(request))
    expect((await app.inject({ url: '/key', headers: BOTH })).json()).toMatchObject({
      org_id: 'org',
      kind: 'secret',
    })
    expect((await app.inject({ url: '/user', headers: BOTH })).json()).toEqual({ user_id: 'user' })
  })

  it('is a fault of the program where the access does not guarantee it', async () => {
    const app = createBareServer()
    app.get('/key', { config: { access: 'portal' } }, (request) => keyOf(request))
    app.get('/user', { config: { access: 'any_key' } }, (request) => userOf(request))
    expect((await app.inject({ url: '/key', headers: BOTH })).statusCode).toBe(500)
    expect((await app.inject({ url: '/user', headers: BOTH })).statusCode).toBe(500)
  })
})
