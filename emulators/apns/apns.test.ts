import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSender, PAYLOAD, type Sender } from '../../test/support/apns-sender.ts'
import type { Answer } from '../../test/support/http2-client.ts'
import { createAuthority } from '../certificate.ts'
import { type ApnsEmulator, type ApnsReason, REASONS, startApns } from './index.ts'

const UUID = /^[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}$/i

let emulator: ApnsEmulator
let sandbox: ApnsEmulator
let sender: Sender
let token = ''

beforeAll(async () => {
  const authority = createAuthority()
  emulator = await startApns({ port: 0, authority, environment: 'production' })
  const keys = [emulator.control.signingKey()]
  sandbox = await startApns({ port: 0, authority, environment: 'sandbox', keys })
})
beforeEach(async () => {
  emulator.control.setFaults({})
  emulator.control.setQuotas({ messages_per_device_per_minute: null, token_updates_max: null })
  token = emulator.control.makePhone().token
  sender = await createSender(emulator)
  return () => sender.client.close()
})
afterAll(async () => {
  await emulator.close()
  await sandbox.close()
})

/** Asserts that an answer has a reason with its status and an apns-id. */
function expectReason(answer: Answer, reason: ApnsReason, more = {}): void {
  expect(answer.body).toEqual({ reason, ...more })
  expect(answer.status).toBe(REASONS[reason])
  expect(answer.headers['content-type']).toBe('application/json')
  expect(answer.headers['apns-id']).toMatch(UUID)
}

describe('a notification that is accepted', () => {
  test('is answered without a body, with its apns-id, and is in the inbox', async () => {
    const id = randomUUID()
    const answer = await sender.send(token, { 'apns-id': id, 'apns-collapse-id': 'orders' })
    expect(answer).toMatchObject({ status: 200, body: undefined, rst_code: 0 })
    expect(answer.headers['apns-id']).toBe(id)
    expect(answer.headers).not.toHaveProperty('apns-unique-id')
    expect(emulator.control.getPhone(token)).toMatchObject({
      received: 1,
      last: [{ id, body: JSON.parse(PAYLOAD) as object }],
    })
    await sender.send(token, { 'apns-id': id, 'apns-collapse-id': 'orders' })
    expect(emulator.control.truth().messages.at(-1)).toMatchObject({
      token,
      id,
      collapse_id: 'orders',
      count: 2,
    })
    expect(emulator.control.truth().repeated).toBe(1)
  })

  test('gets an id if it has none, and in the sandbox another one for the console', async () => {
    expect((await sender.send(token)).headers['apns-id']).toMatch(UUID)
    const own = await createSender(sandbox)
    const answer = await own.send(sandbox.control.makePhone().token)
    expect(answer.status).toBe(200)
    expect(answer.headers['apns-unique-id']).toMatch(UUID)
    own.client.close()
  })

  test.each([
    ['voip', 'com.example.app.voip'],
    ['liveactivity', 'com.example.app.push-type.liveactivity'],
    ['background', 'com.example.app'],
  ])('of type %s has the topic %s', async (type, topic) => {
    const headers = { 'apns-push-type': type, 'apns-topic': topic, 'apns-priority': '5' }
    expect((await sender.send(token, headers)).status).toBe(200)
  })

  test('can be longer for voip', async () => {
    const payload = JSON.stringify({ aps: {}, a: 'x'.repeat(4_500) })
    expectReason(await sender.send(token, {}, payload), 'PayloadTooLarge')
    const voip = { 'apns-push-type': 'voip', 'apns-topic': 'com.example.app.voip' }
    expect((await sender.send(token, voip, payload)).status).toBe(200)
  })
})

describe('a device token', () => {
  test('that is malformed, unknown or of the other environment is BadDeviceToken', async () => {
    expectReason(await sender.send('xyz'), 'BadDeviceToken')
    expectReason(await sender.send('ab'.repeat(32)), 'BadDeviceToken')
    expectReason(await sender.send(sandbox.control.makePhone().token), 'BadDeviceToken')
  })

  test('that was replaced is Unregistered with the time of its replacement', async () => {
    const before = Date.now()
    const { token: renewed } = emulator.control.renewToken(token)
    const answer = await sender.send(token)
    const { timestamp } = answer.body as { timestamp: number }
    expectReason(answer, 'Unregistered', { timestamp })
    expect(timestamp).toBeGreaterThanOrEqual(before)
    expect((await sender.send(renewed)).status).toBe(200)
  })

  test.each(['Unregistered', 'ExpiredToken'] as const)(
    'can be %s with a timestamp, and become valid again',
    async (reason) => {
      const { id } = emulator.control.changePhone(token, { gone: { reason, timestamp_ms: 1_700 } })
      expectReason(await sender.send(token), reason, { timestamp: 1_700 })
      emulator.control.changePhone(id, { gone: null })
      expect((await sender.send(token)).status).toBe(200)
    },
  )

  test('is valid for its topic, and a topic for its team', async () => {
    emulator.control.makePhone({ bundle_id: 'com.example.second' })
    emulator.control.makePhone({ bundle_id: 'com.other.app', team_id: 'OTHERTEAM1' })
    const to = (topic: string) => sender.send(token, { 'apns-topic': topic })
    expectReason(await to('com.example.second'), 'DeviceTokenNotForTopic')
    expectReason(await to('com.other.app'), 'TopicDisallowed')
    expectReason(await to('com.unknown.app'), 'TopicDisallowed')
    const { bundle_id } = emulator.control.makePhone({ bundle_id: 'com.example.second' })
    expect(bundle_id).toBe('com.example.second')
    const stolen = { bundle_id: 'com.other.app', team_id: 'VIGILTEAM1' }
    expect(() => emulator.control.makePhone(stolen)).toThrow('belongs to OTHERTEAM1')
  })

  test('has a quota of messages per minute if one is set', async () => {
    emulator.control.setQuotas({ messages_per_device_per_minute: 1 })
    expect((await sender.send(token)).status).toBe(200)
    expectReason(await sender.send(token), 'TooManyRequests')
    expect((await sender.send(emulator.control.makePhone().token)).status).toBe(200)
  })
})

describe('a request', () => {
  const LONG_ID = 'é'.repeat(33)

  test.each<[ApnsReason, string, Record<string, string | string[] | undefined>, string?]>([
    ['BadMessageId', 'another apns-id', { 'apns-id': '7' }],
    ['InvalidPushType', 'another push type', { 'apns-push-type': 'loud' }],
    ['BadPriority', 'another priority', { 'apns-priority': '7' }],
    ['BadExpirationDate', 'another expiration', { 'apns-expiration': 'soon' }],
    ['BadCollapseId', 'a collapse id of 65 bytes', { 'apns-collapse-id': 'x'.repeat(65) }],
    ['MissingTopic', 'no topic', { 'apns-topic': undefined }],
    ['BadTopic', 'a malformed topic', { 'apns-topic': 'app' }],
    ['BadTopic', 'the topic of another push type', { 'apns-push-type': 'voip' }],
    ['DuplicateHeaders', 'a header twice', { 'apns-priority': ['10', '5'] }],
    ['PayloadEmpty', 'no payload', {}, ''],
    ['PayloadEmpty', 'a payload without aps', {}, '{"alert":"a"}'],
    ['PayloadEmpty', 'a payload that is not JSON', {}, '{'],
    ['PayloadTooLarge', 'a payload of 4097 bytes', {}, `{"aps":{},"a":"${'x'.repeat(4_080)}"}`],
    ['MethodNotAllowed', 'another method', { ':method': 'PUT' }],
    ['BadPath', 'another path', { ':path': '/4/device/ab' }],
    ['MissingDeviceToken', 'no device token', { ':path': '/3/device/' }],
  ])('is %s with %s', async (reason, _name, headers, payload) => {
    expectReason(await sender.send(token, headers, payload), reason)
    expect(emulator.control.getPhone(token).received).toBe(0)
  })

  test('in the background cannot have priority 10', async () => {
    const background = { 'apns-push-type': 'background' }
    expectReason(await sender.send(token, { ...background, 'apns-priority': '10' }), 'BadPriority')
    expect((await sender.send(token, { ...background, 'apns-priority': '5' })).status).toBe(200)
  })

  test('can have the documented lengths, and the collapse id is counted in bytes', async () => {
    const encoded = Buffer.from(LONG_ID).toString('latin1')
    expectReason(await sender.send(token, { 'apns-collapse-id': encoded }), 'BadCollapseId')
    const collapse = { 'apns-collapse-id': 'x'.repeat(64), 'apns-expiration': '0' }
    const payload = `{"aps":{},"a":"${'x'.repeat(4_079)}"}`
    expect(payload).toHaveLength(4_096)
    expect((await sender.send(token, collapse, payload)).status).toBe(200)
  })
})

describe('every reason', () => {
  test.each(Object.keys(REASONS) as ApnsReason[])(
    '%s is caused by the denial of a phone and by a rate, with its status',
    async (reason) => {
      const isGone = REASONS[reason] === 410
      const more = isGone ? { timestamp: expect.any(Number) as number } : {}
      emulator.control.changePhone(token, { denial: { code: reason, times: 1 } })
      expectReason(await sender.send(token), reason, more)
      expect((await sender.send(token)).status).toBe(200)
      emulator.control.setFaults({ errors: [{ code: reason, rate: 1, retry_after_s: 3 }] })
      const byRate = await sender.send(token)
      expectReason(byRate, reason, more)
      expect(byRate.headers['retry-after']).toBe('3')
      expect(emulator.control.getPhone(token).received).toBe(1)
    },
  )
})

describe('the control interface', () => {
  const control = async (method: string, path: string, body?: object) => {
    const headers = { ':method': method, ':path': `/control/${path}` }
    const answer = await sender.client.request(headers, body && JSON.stringify(body))
    return { status: answer.status, body: answer.body as Record<string, unknown> }
  }

  test('offers the operations of the control over HTTP', async () => {
    const key = (await control('GET', 'key')).body
    expect(key).toEqual(emulator.control.signingKey())
    const added = (await control('POST', 'keys', { environments: ['sandbox'] })).body
    expect((await control('GET', 'keys')).body['keys']).toContainEqual(added)
    const path = `keys/${String(added['key_id'])}`
    expect((await control('PATCH', path, { is_revoked: true })).body['is_revoked']).toBe(true)
    expect(await control('PATCH', 'keys/none', {})).toMatchObject({ status: 404 })
    const phone = (await control('POST', 'phones', {})).body
    const gone = { gone: { reason: 'Unregistered' } }
    const at = `phones/${String(phone['id'])}`
    expect((await control('PATCH', at, gone)).body['gone']).toMatchObject(gone.gone)
    expect((await control('POST', `${at}/token`)).body['token']).not.toBe(phone['token'])
    expect((await control('GET', at)).body).toMatchObject({ received: 0, last: [] })
    expect((await control('POST', 'phones/bulk', { count: 3 })).body['tokens']).toHaveLength(3)
    expect((await control('GET', 'phones?limit=2')).body['phones']).toHaveLength(2)
    const faults = { errors: [{ code: 'Shutdown', rate: 0.5 }] }
    expect((await control('PUT', 'faults', faults)).body).toEqual(faults)
    expect((await control('GET', 'faults')).body).toEqual(faults)
    expect((await control('PATCH', 'quotas', { token_updates_max: 9 })).body).toMatchObject({
      token_updates_max: 9,
      streams_max: 1_000,
    })
    expect((await control('GET', 'quotas')).body['token_updates_max']).toBe(9)
    expect((await control('GET', 'truth')).body).toHaveProperty('messages')
    expect((await control('GET', 'requests')).body['requests']).toBeInstanceOf(Array)
    await sender.send(token)
    expect((await control('DELETE', 'truth')).body).toEqual({})
    expect(emulator.control.truth()).toEqual({ accepted: 0, repeated: 0, messages: [] })
    expect(emulator.control.getPhone(token)).toMatchObject({ received: 0, last: [] })
    expect((await control('GET', 'traffic')).body).toMatchObject({ connections_open: 1 })
  })

  test('names the fault of a request', async () => {
    const invalid = await control('PUT', 'faults', { errors: [{ code: 'BadLuck', rate: 1 }] })
    expect(invalid.status).toBe(400)
    const broken = await control('POST', 'keys', { private_key: 'x' })
    expect(broken).toMatchObject({
      status: 400,
      body: { error: { message: 'private_key is not a P-256 key in PEM form' } },
    })
  })
})
