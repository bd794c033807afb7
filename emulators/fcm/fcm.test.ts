import { get } from 'node:https'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSender, requestToken, type Sender } from '../../test/support/fcm-sender.ts'
import { connectTo } from '../../test/support/http2-client.ts'
import { createAuthority } from '../certificate.ts'
import { type FcmEmulator, startFcm } from './index.ts'

let emulator: FcmEmulator
let sender: Sender
let offsetMs = 0

beforeAll(async () => {
  emulator = await startFcm({
    port: 0,
    authority: createAuthority(),
    now: () => new Date(Date.now() + offsetMs),
  })
})
beforeEach(async () => {
  offsetMs = 0
  emulator.control.setFaults({})
  sender = await createSender(emulator)
  return () => sender.client.close()
})
afterAll(() => emulator.close())

const statusOf = async (authorization: string, project?: string) => {
  const { token } = emulator.control.makePhone()
  const body = JSON.stringify({ message: { token } })
  const answer = await sender.post(body, { authorization, ...(project && { project }) })
  const { error } = (answer.body ?? {}) as { error?: { status: string; details?: unknown[] } }
  return [answer.status, error?.status, error?.details?.length ?? 0]
}
const bearer = async (claims = {}) => {
  const { body } = await requestToken(emulator, sender.client, claims)
  return `Bearer ${(body as { access_token: string }).access_token}`
}

describe('a message that is accepted', () => {
  test('is answered with its name and is in the inbox of its phone', async () => {
    const { token, id } = emulator.control.makePhone({ package_name: 'com.example.shop' })
    const message = { token, notification: { title: 'Hello' }, data: { order: '7' } }
    const { status, body } = await sender.send(message)
    expect(status).toBe(200)
    const { name } = body as { name: string }
    expect(name).toMatch(/^projects\/vigil-emulator\/messages\/0:\d+%[0-9a-f]{16}$/)
    expect(emulator.control.getPhone(id)).toMatchObject({
      package_name: 'com.example.shop',
      received: 1,
      last: [{ id: name.split('/').at(-1), body: message }],
    })
  })

  test('twice with the same tag and phone is one message that was accepted twice', async () => {
    const { token } = emulator.control.makePhone()
    const before = emulator.control.truth()
    const message = {
      token,
      android: { collapseKey: 'orders', notification: { tag: 'recipient-1' } },
    }
    await sender.send(message)
    await sender.send(message)
    await sender.send({ token })
    const { accepted, repeated, messages } = emulator.control.truth()
    expect([accepted - before.accepted, repeated - before.repeated]).toEqual([3, 1])
    expect(messages.slice(-2)).toMatchObject([
      { token, tag: 'recipient-1', collapse_id: 'orders', count: 2 },
      { token, tag: null, collapse_id: null, count: 1 },
    ])
  })

  test('to a topic is in no inbox, and a dry run is not recorded', async () => {
    const { token } = emulator.control.makePhone()
    const before = emulator.control.truth().accepted
    const dry = await sender.send({ token }, { validateOnly: true })
    expect(dry.body).toEqual({ name: 'projects/vigil-emulator/messages/fake_message_id' })
    expect((await sender.send({ topic: 'news' })).status).toBe(200)
    expect((await sender.send({ condition: "'a' in topics" })).status).toBe(200)
    expect(emulator.control.truth().accepted).toBe(before + 2)
    expect(emulator.control.getPhone(token).received).toBe(0)
  })

  test('is counted, while only the last payloads are stored', async () => {
    const { token } = emulator.control.makePhone()
    for (let at = 0; at < 25; at += 1) await sender.send({ token, data: { at: String(at) } })
    const { received, last } = emulator.control.getPhone(token)
    expect(received).toBe(25)
    expect(last.map(({ body }) => (body as { data: { at: string } }).data.at)).toEqual(
      Array.from({ length: 20 }, (_, at) => String(at + 5)),
    )
  })
})

describe('authorization', () => {
  test('requires a token that was issued and is still valid', async () => {
    const unauthenticated = [401, 'UNAUTHENTICATED', 0]
    expect(await statusOf('')).toEqual(unauthenticated)
    expect(await statusOf('Bearer ya29.unknown')).toEqual(unauthenticated)
    const valid = await bearer()
    expect(await statusOf(valid)).toEqual([200, undefined, 0])
    offsetMs = 3_599_000
    expect(await statusOf(valid)).toEqual(unauthenticated)
    offsetMs = 0
    emulator.control.expireTokens()
    expect(await statusOf(valid)).toEqual(unauthenticated)
  })

  test('requires the scope and the project of the service account', async () => {
    const scope = 'https://www.googleapis.com/auth/androidmanagement'
    expect(await statusOf(await bearer({ scope }))).toEqual([403, 'PERMISSION_DENIED', 1])
    expect(await statusOf(await bearer(), 'other-project')).toEqual([403, 'PERMISSION_DENIED', 0])
  })
})

describe('the token endpoint', () => {
  const seconds = () => Math.floor(Date.now() / 1_000)

  test.each<[string, () => object]>([
    ['an unknown account', () => ({ iss: 'unknown@example.iam.gserviceaccount.com' })],
    ['an assertion that has expired', () => ({ iat: seconds() - 7_200, exp: seconds() - 3_600 })],
    ['an assertion for two hours', () => ({ exp: seconds() + 7_200 })],
    ['an assertion from the future', () => ({ iat: seconds() + 600, exp: seconds() + 900 })],
    ['another audience', () => ({ aud: 'https://other.example/token' })],
  ])('refuses %s with invalid_grant', async (_name, claims) => {
    expect(await requestToken(emulator, sender.client, { ...claims() })).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant' },
    })
  })

  test('accepts the audience of Google', async () => {
    const aud = 'https://oauth2.googleapis.com/token'
    expect((await requestToken(emulator, sender.client, { aud })).status).toBe(200)
  })

  test('refuses other grants, and assertions without a scope', async () => {
    expect((await requestToken(emulator, sender.client, { scope: '' })).body).toMatchObject({
      error: 'invalid_scope',
    })
    const other = await sender.client.request({ ':path': '/token' }, 'grant_type=password')
    expect(other.body).toMatchObject({ error: 'unsupported_grant_type' })
  })

  test.each([
    ['invalid_grant', 400],
    ['invalid_scope', 400],
    ['unavailable', 503],
  ] as const)('answers every request with the fault %s', async (token_error, status) => {
    emulator.control.setFaults({ token_error })
    expect((await requestToken(emulator, sender.client)).status).toBe(status)
  })

  test('knows accounts of several projects, and accounts that were added', async () => {
    const other = await startFcm({ port: 0, authority: createAuthority() })
    const account = other.control.serviceAccount('second-project')
    await other.close()
    expect(account).toMatchObject({ type: 'service_account', project_id: 'second-project' })
    const claims = { iss: account.client_email }
    expect((await requestToken(emulator, sender.client, claims)).status).toBe(400)
    emulator.control.addServiceAccount(account)
    expect(emulator.control.serviceAccount('second-project')).toEqual(account)
    expect(() => emulator.control.addServiceAccount({ ...account, private_key: 'x' })).toThrow(
      'not a key',
    )
  })
})

describe('the control interface', () => {
  const control = async (method: string, path: string, body?: object) => {
    const headers = { ':method': method, ':path': `/control/${path}` }
    const answer = await sender.client.request(headers, body && JSON.stringify(body))
    return { status: answer.status, body: answer.body as Record<string, unknown> }
  }

  test('offers the operations of the control over HTTP', async () => {
    const account = await control('GET', 'service-account?project_id=third-project')
    expect(account.body).toMatchObject({ project_id: 'third-project' })
    const phone = (await control('POST', 'phones', { package_name: 'com.example.x' })).body
    const path = `phones/${String(phone['id'])}`
    expect(await control('PATCH', path, { is_registered: false })).toMatchObject({
      body: { is_registered: false, package_name: 'com.example.x' },
    })
    expect((await control('POST', `${path}/token`)).body['token']).not.toBe(phone['token'])
    const { tokens } = (await control('POST', 'phones/bulk', { count: 3 })).body
    expect(tokens).toHaveLength(3)
    expect((await control('GET', 'phones?limit=2')).body['phones']).toHaveLength(2)
    expect((await control('PUT', 'faults', { latency_ms: 1 })).body).toEqual({ latency_ms: 1 })
    expect((await control('PATCH', 'quotas', { messages_per_minute: 9 })).body).toMatchObject({
      messages_per_minute: 9,
    })
    expect((await control('PATCH', 'quotas', { messages_per_minute: null })).status).toBe(200)
    expect((await control('POST', 'expire-tokens')).body).toEqual({})
    expect((await control('GET', 'truth')).body).toHaveProperty('messages')
    expect((await control('GET', 'requests')).body['requests']).toBeInstanceOf(Array)
    const { token } = emulator.control.makePhone()
    await sender.send({ token })
    expect((await control('DELETE', 'truth')).body).toEqual({})
    expect(emulator.control.truth()).toEqual({ accepted: 0, repeated: 0, messages: [] })
    expect(emulator.control.getPhone(token)).toMatchObject({ received: 0, last: [] })
    expect((await control('GET', 'traffic')).body).toMatchObject({ connections_open: 1 })
  })

  test('names the fault of a request', async () => {
    expect(await control('GET', 'phones/none')).toMatchObject({ status: 404 })
    expect(await control('GET', 'none')).toMatchObject({ status: 404 })
    const invalid = await control('PUT', 'faults', { hang_rate: 2 })
    expect(invalid).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('hang_rate') as string } },
    })
  })

  test('accepts HTTP/1.1, like the token endpoint', async () => {
    const status = await new Promise((resolve) => {
      get(`${emulator.url}/control/traffic`, { ca: emulator.ca }, (response) => {
        response.resume()
        resolve([response.httpVersion, response.statusCode])
      })
    })
    expect(status).toEqual(['1.1', 200])
  })
})

test('an unknown path is 404', async () => {
  const client = await connectTo(emulator)
  expect((await client.request({ ':path': '/v1/projects/a/messages' })).status).toBe(404)
  client.close()
  expect(emulator.control.requests().at(-1)).toMatchObject({ method: 'POST', status: 404 })
})
