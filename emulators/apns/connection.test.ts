import { once } from 'node:events'
import { get } from 'node:https'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createSender, providerToken } from '../../test/support/apns-sender.ts'
import { createAuthority } from '../certificate.ts'
import { type ApnsEmulator, startApns } from './index.ts'

const authority = createAuthority()
let emulator: ApnsEmulator
let offsetMs = 0
const startedMs = Math.floor(Date.now() / 1_000) * 1_000
const closing: (() => void)[] = []

beforeEach(async () => {
  offsetMs = 0
  emulator = await startApns({
    port: 0,
    authority,
    environment: 'production',
    now: () => new Date(startedMs + offsetMs),
  })
})
afterEach(async () => {
  for (const close of closing.splice(0)) close()
  await emulator.close()
})

const seconds = () => (startedMs + offsetMs) / 1_000
const own = (overrides = {}) =>
  providerToken(emulator.control.signingKey(), { iat: seconds(), ...overrides })

async function sender(provider = own()) {
  const created = await createSender(emulator, provider)
  closing.push(created.client.close)
  return created
}

/** Returns the reason for a provider token on a new connection; null when it is accepted. */
async function reasonFor(provider: string, headers = {}): Promise<unknown> {
  const { send } = await sender(provider)
  const { status, body } = await send(emulator.control.makePhone().token, headers)
  return status === 200 ? null : [status, (body as { reason: string }).reason]
}

describe('a provider token', () => {
  test('is required', async () => {
    const missing = [403, 'MissingProviderToken']
    expect(await reasonFor(own(), { authorization: undefined })).toEqual(missing)
    expect(await reasonFor(own(), { authorization: 'bearer' })).toEqual(missing)
    expect(await reasonFor(own())).toBe(null)
  })

  test('is signed with ES256 by a known key of its team and has a time', async () => {
    const invalid = [403, 'InvalidProviderToken']
    const { key_id } = emulator.control.signingKey()
    const stranger = { ...emulator.control.addKey(), key_id }
    expect(await reasonFor(providerToken(stranger, { iat: seconds() }))).toEqual(invalid)
    expect(await reasonFor(own({ kid: 'UNKNOWNKEY' }))).toEqual(invalid)
    expect(await reasonFor(own({ iss: 'OTHERTEAM1' }))).toEqual(invalid)
    expect(await reasonFor(own({ alg: 'HS256' }))).toEqual(invalid)
    expect(await reasonFor(own({ iat: 'now' }))).toEqual(invalid)
    expect(await reasonFor('no.token')).toEqual(invalid)
    expect(await reasonFor(`${own()}x.y`)).toEqual(invalid)
  })

  test('is valid for an hour, and not before its time', async () => {
    const token = own()
    offsetMs = 3_600_000
    expect(await reasonFor(token)).toBe(null)
    offsetMs = 3_601_000
    expect(await reasonFor(token)).toEqual([403, 'ExpiredProviderToken'])
    expect(await reasonFor(own({ iat: seconds() + 61 }))).toEqual([403, 'InvalidProviderToken'])
  })

  test('of a revoked key, or of a key for the other environment, is refused', async () => {
    const { control } = emulator
    const key = control.addKey({ environments: ['sandbox'] })
    const token = providerToken(key, { iat: seconds() })
    expect(await reasonFor(token)).toEqual([403, 'BadEnvironmentKeyIdInToken'])
    control.changeKey(key.key_id, { environments: ['production'] })
    expect(await reasonFor(token)).toBe(null)
    control.changeKey(key.key_id, { is_revoked: true })
    expect(await reasonFor(token)).toEqual([403, 'InvalidProviderToken'])
  })

  test('of a key for certain topics is valid for these', async () => {
    emulator.control.makePhone({ bundle_id: 'com.example.second' })
    const key = emulator.control.addKey({ topics: ['com.example.second'] })
    const token = providerToken(key, { iat: seconds() })
    expect(await reasonFor(token)).toEqual([400, 'TopicDisallowed'])
    const { send } = await sender(token)
    const phone = emulator.control.makePhone({ bundle_id: 'com.example.second' })
    const topic = { 'apns-topic': 'com.example.second' }
    expect((await send(phone.token, topic)).status).toBe(200)
  })

  test('can be renewed twice in 20 minutes per key, and accepted ones remain valid', async () => {
    const first = own()
    expect(await reasonFor(first)).toBe(null)
    offsetMs += 1_000
    expect(await reasonFor(own())).toBe(null)
    offsetMs += 1_000
    const third = own()
    expect(await reasonFor(third)).toEqual([429, 'TooManyProviderTokenUpdates'])
    expect(await reasonFor(first)).toBe(null)
    const other = emulator.control.addKey()
    expect(await reasonFor(providerToken(other, { iat: seconds() }))).toBe(null)
    offsetMs = 1_200_000
    expect(await reasonFor(third)).toBe(null)
  })

  test('that is signed again for the same second is not new, unless the quota says so', async () => {
    for (let at = 0; at < 4; at += 1) expect(await reasonFor(own())).toBe(null)
    emulator.control.setQuotas({ tokens_differ_by: 'signature', token_updates_max: 1 })
    offsetMs += 3_500_000
    expect(await reasonFor(own())).toBe(null)
    expect(await reasonFor(own())).toEqual([429, 'TooManyProviderTokenUpdates'])
  })

  test('of another key on the same connection is unrelated', async () => {
    const { send } = await sender()
    const { token } = emulator.control.makePhone()
    expect((await send(token)).status).toBe(200)
    const other = providerToken(emulator.control.addKey(), { iat: seconds() })
    const answer = await send(token, { authorization: `bearer ${other}` })
    expect(answer).toMatchObject({ status: 403, body: { reason: 'UnrelatedKeyIdInToken' } })
    expect(await reasonFor(other)).toBe(null)
  })
})

describe('a connection', () => {
  test('has one stream until it shows a valid token, then the limit that is set', async () => {
    emulator.control.setQuotas({ streams_max: 50 })
    const { client, send } = await sender()
    expect(client.session.remoteSettings.maxConcurrentStreams).toBe(1)
    const { token } = emulator.control.makePhone()
    const bad = await send(token, { authorization: 'bearer no.token' })
    expect(bad.status).toBe(403)
    expect(client.session.remoteSettings.maxConcurrentStreams).toBe(1)
    const raised = once(client.session, 'remoteSettings')
    expect((await send('ab'.repeat(32))).status).toBe(400)
    await raised
    expect(client.session.remoteSettings.maxConcurrentStreams).toBe(50)
    const many = await Promise.all(Array.from({ length: 200 }, () => send(token)))
    expect(new Set(many.map(({ status }) => status))).toEqual(new Set([200]))
    expect(emulator.control.traffic().streams_open_max).toBeLessThanOrEqual(50)
    expect(emulator.control.getPhone(token).received).toBe(200)
  })

  test('ends with GOAWAY and its reason', async () => {
    emulator.control.setFaults({ goaway: { after_streams: 2, reason: 'Shutdown' } })
    const { client, send } = await sender()
    const { token } = emulator.control.makePhone()
    const answers = [await send(token), await send(token)]
    await client.closed
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    expect(client.goaways[0]).toEqual({ last_stream: 3, debug: '{"reason":"Shutdown"}' })
  })

  test.each([
    ['hang_rate', 'reset_rate', 0],
    ['lost_stream_rate', 'lost_answer_rate', 1],
  ] as const)('loses answers by %s and %s, which leaves %i in the inbox', async (...args) => {
    const [stream, connection, received] = args
    for (const rate of [connection, stream]) {
      const { client, send } = await sender()
      const { token } = emulator.control.makePhone()
      emulator.control.setFaults({ [rate]: 1 })
      const answer = send(token)
      if (rate === 'hang_rate') {
        while (emulator.control.requests().at(-1)?.path !== `/3/device/${token}`) {
          await new Promise((resolve) => setImmediate(resolve))
        }
        client.close()
      }
      expect((await answer).status).toBe(null)
      expect(emulator.control.getPhone(token).received).toBe(received)
      expect(emulator.control.requests().at(-1)).toMatchObject({ status: null })
    }
  })

  test.each(['reset_connection', 'lost_answer'] as const)(
    'is reset by the denial %s of a phone',
    async (code) => {
      const { send } = await sender()
      const { token } = emulator.control.makePhone()
      emulator.control.changePhone(token, { denial: { code, times: 1 } })
      expect((await send(token)).status).toBe(null)
      expect(emulator.control.getPhone(token)).toMatchObject({
        denial: null,
        received: code === 'lost_answer' ? 1 : 0,
      })
    },
  )

  test('is reset while the service is unavailable', async () => {
    emulator.control.setFaults({ unreachable: true })
    const { send } = await sender()
    expect((await send('ab'.repeat(32))).status).toBe(null)
  })

  test('by HTTP/1.1 is accepted for the control interface only', async () => {
    const outcomeOf = (path: string) =>
      new Promise((resolve) => {
        get(`${emulator.url}${path}`, { ca: emulator.ca }, (response) => {
          response.resume()
          resolve(response.statusCode)
        }).on('error', () => resolve('reset'))
      })
    expect(await outcomeOf('/control/traffic')).toBe(200)
    expect(await outcomeOf('/3/device/ab')).toBe('reset')
  })
})
