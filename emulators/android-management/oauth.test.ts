import { generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import {
  getAccessToken,
  PROJECT,
  requestToken,
} from '../../test/support/android-management-client.ts'
import { type AndroidEmulator, startAndroidManagement } from './index.ts'
import type { Json } from './resources.ts'

let emulator: AndroidEmulator
let offsetMs = 0

beforeAll(async () => {
  emulator = await startAndroidManagement({
    port: 0,
    now: () => new Date(Date.now() + offsetMs),
  })
})
beforeEach(() => {
  offsetMs = 0
})
afterAll(() => emulator.close())

const seconds = () => Math.floor(Date.now() / 1_000)

async function statusOf(token: string | undefined, path = 'enterprises/none') {
  const response = await fetch(`${emulator.url}/v1/${path}`, {
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
  })
  const { error } = (await response.json()) as { error: { status: string; code: number } }
  expect(error.code).toBe(response.status)
  return error.status
}

describe('the token endpoint', () => {
  test('exchanges an assertion of the service account for a token that the API accepts', async () => {
    const answer = await requestToken(emulator)
    expect(answer).toMatchObject({ status: 200, body: { expires_in: 3_599, token_type: 'Bearer' } })
    expect(await statusOf(String(answer.body['access_token']))).toBe('NOT_FOUND')
  })

  test('accepts the audience of Google and refuses others', async () => {
    const google = 'https://oauth2.googleapis.com/token'
    expect((await requestToken(emulator, { aud: google })).status).toBe(200)
    expect((await requestToken(emulator, { aud: 'https://other.example/token' })).body).toEqual({
      error: 'invalid_grant',
      error_description: expect.stringContaining('audience') as string,
    })
  })

  test.each<[string, () => Json]>([
    ['an unknown issuer', () => ({ iss: 'unknown@example.iam.gserviceaccount.com' })],
    ['an assertion that has expired', () => ({ iat: seconds() - 7_200, exp: seconds() - 3_600 })],
    ['an assertion for more than an hour', () => ({ exp: seconds() + 3_700 })],
    ['an assertion from the future', () => ({ iat: seconds() + 600, exp: seconds() + 900 })],
    ['an assertion without an expiry', () => ({ exp: undefined })],
  ])('refuses %s with invalid_grant', async (_name, claims) => {
    const answer = await requestToken(emulator, claims())
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('refuses a signature by another key', async () => {
    const { privateKey } = await generateKeyPair('RS256')
    const { client_email, token_uri } = emulator.control.serviceAccount()
    const assertion = await new SignJWT({ iss: client_email, aud: token_uri, scope: 'x' })
      .setProtectedHeader({ alg: 'RS256' })
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey)
    const response = await fetch(token_uri, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
        assertion,
      }),
    })
    expect(await response.json()).toMatchObject({ error: 'invalid_grant' })
  })

  test('refuses an assertion without a scope, and other grants', async () => {
    expect((await requestToken(emulator, { scope: '' })).body).toMatchObject({
      error: 'invalid_scope',
    })
    const response = await fetch(`${emulator.url}/token`, {
      method: 'POST',
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    })
    expect(await response.json()).toMatchObject({ error: 'unsupported_grant_type' })
  })
})

describe('the APIs', () => {
  test('refuse a call without a token, with an unknown one, and with an expired one', async () => {
    expect(await statusOf(undefined)).toBe('UNAUTHENTICATED')
    expect(await statusOf('ya29.unknown')).toBe('UNAUTHENTICATED')
    const token = await getAccessToken(emulator)
    offsetMs = 3_599_000
    expect(await statusOf(token)).toBe('UNAUTHENTICATED')
  })

  test('accept a token only for its scopes', async () => {
    const auth = 'https://www.googleapis.com/auth'
    const android = await getAccessToken(emulator, { scope: `${auth}/androidmanagement` })
    const pubsub = await getAccessToken(emulator, { scope: `${auth}/pubsub` })
    const topic = `${PROJECT}/topics/none`
    expect(await statusOf(android)).toBe('NOT_FOUND')
    expect(await statusOf(android, topic)).toBe('PERMISSION_DENIED')
    expect(await statusOf(pubsub)).toBe('PERMISSION_DENIED')
    expect(await statusOf(pubsub, topic)).toBe('NOT_FOUND')
  })

  test('do not expire tokens when the emulated clock is advanced', async () => {
    const token = await getAccessToken(emulator)
    emulator.control.advanceClock({ advance_seconds: 86_400 })
    expect(await statusOf(token)).toBe('NOT_FOUND')
    expect((await requestToken(emulator)).status).toBe(200)
  })
})
