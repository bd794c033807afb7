import { generateKeyPairSync } from 'node:crypto'
import { jwtVerify } from 'jose'
import { afterEach, describe, expect, it } from 'vitest'
import { type HttpReply, type HttpRequest, startHttp } from '../../../emulators/http-server.ts'
import { createAccessTokens } from './access-token.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const ACCOUNT = {
  project_id: 'example-project',
  client_email: 'vigil@example-project.iam.gserviceaccount.com',
  private_key_id: 'key-1',
  private_key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
}
const SCOPES = ['https://www.googleapis.com/auth/one', 'https://www.googleapis.com/auth/two']
const START = new Date('2026-03-01T12:00:00Z')

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(cleanups.splice(0).map((cleanUp) => cleanUp()))
})

async function setUp(reply: (count: number, request: HttpRequest) => HttpReply) {
  let count = 0
  const http = await startHttp({
    port: 0,
    host: '127.0.0.1',
    handle: (request) => {
      count += 1
      return reply(count, request)
    },
  })
  cleanups.push(http.close)
  const time = { now: START }
  const tokens = createAccessTokens({
    account: ACCOUNT,
    token_url: `${http.url}/token`,
    scopes: SCOPES,
    now: () => time.now,
    timeout_ms: 2000,
  })
  const pass = (seconds: number) => {
    time.now = new Date(time.now.getTime() + seconds * 1000)
  }
  return { tokens, pass, requests: http.requests, token_url: `${http.url}/token` }
}

const granted = (count: number): HttpReply => ({
  status: 200,
  body: { access_token: `token-${count}`, expires_in: 3599, token_type: 'Bearer' },
})
const known = (value: string) => ({ known: true, value })

describe('access tokens of a service account', () => {
  it('are requested with an assertion that is valid only for the URL it is sent to', async () => {
    const { tokens, requests, token_url } = await setUp(granted)
    expect(await tokens.token()).toEqual(known('token-1'))
    const form = new URLSearchParams(requests[0]?.body)
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
      currentDate: START,
    })
    expect(protectedHeader).toMatchObject({ alg: 'RS256', kid: 'key-1' })
    const issued = START.getTime() / 1000
    expect(payload).toEqual({
      iss: ACCOUNT.client_email,
      aud: token_url,
      scope: SCOPES.join(' '),
      iat: issued,
      exp: issued + 3600,
    })
  })

  it('are cached until five minutes before they expire', async () => {
    const { tokens, pass } = await setUp(granted)
    expect(tokens.stored()).toBeUndefined()
    await tokens.token()
    pass(3298)
    expect(await tokens.token()).toEqual(known('token-1'))
    expect(tokens.stored()).toEqual(known('token-1'))
    pass(2)
    expect(tokens.stored()).toBeUndefined()
    expect(await tokens.token()).toEqual(known('token-2'))
  })

  it('are fetched once for concurrent callers', async () => {
    const { tokens, requests } = await setUp(granted)
    const all = await Promise.all(Array.from({ length: 20 }, () => tokens.token()))
    expect(new Set(all.map((each) => each.known && each.value))).toEqual(new Set(['token-1']))
    expect(requests).toHaveLength(1)
  })

  it('are dropped once, however many requests with the same token were rejected', async () => {
    const { tokens } = await setUp(granted)
    await tokens.token()
    tokens.forget('token-1')
    expect(await tokens.token()).toEqual(known('token-2'))
    tokens.forget('token-1')
    expect(await tokens.token()).toEqual(known('token-2'))
  })

  it('report Google’s error without the assertion when they are refused', async () => {
    const { tokens } = await setUp((_, { body }) => ({
      status: 400,
      body: {
        error: 'invalid_grant',
        error_description: `Invalid JWT: ${new URLSearchParams(body).get('assertion')}`,
      },
    }))
    expect(await tokens.token()).toEqual({
      known: false,
      reason: 'refused',
      detail: 'invalid_grant: Invalid JWT: …',
    })
  })

  it.each([
    ['another status', { status: 503 }, 'server_error'],
    ['too many requests', { status: 429 }, 'rate_limited'],
    ['no token', { status: 200, body: { expires_in: 3599 } }, 'bad_answer'],
    ['no lifetime', { status: 200, body: { access_token: 'x' } }, 'bad_answer'],
    ['a broken answer', { status: 200, fault: 'invalid_json' as const }, 'bad_answer'],
    ['a reset connection', { status: 200, fault: 'reset' as const }, 'unreachable'],
    ['no answer', { status: 200, fault: 'hang' as const }, 'timeout'],
    ['a dripping answer', { status: 200, fault: 'drip' as const }, 'timeout'],
  ])('are unknown after %s, and requested again', async (_, reply, reason) => {
    const { tokens } = await setUp((count) => (count === 1 ? reply : granted(count)))
    expect(await tokens.token()).toEqual({ known: false, reason })
    expect(await tokens.token()).toEqual(known('token-2'))
  })
})
