import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createSender, type Sender } from '../../test/support/fcm-sender.ts'
import type { Answer } from '../../test/support/http2-client.ts'
import { createAuthority } from '../certificate.ts'
import { type FcmEmulator, type FcmErrorCode, startFcm } from './index.ts'

const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError'
const BAD_REQUEST = 'type.googleapis.com/google.rpc.BadRequest'

let emulator: FcmEmulator
let sender: Sender
let token = ''

beforeAll(async () => {
  emulator = await startFcm({ port: 0, authority: createAuthority() })
  sender = await createSender(emulator)
})
beforeEach(() => {
  emulator.control.setFaults({})
  emulator.control.setQuotas({ messages_per_minute: null })
  token = emulator.control.makePhone().token
})
afterAll(async () => {
  sender.client.close()
  await emulator.close()
})

type GoogleError = { code: number; status: string; message: string; details?: unknown[] }
const errorOf = (answer: Answer) => (answer.body as { error: GoogleError }).error

/** Asserts that the status is the same in the answer and its body. @returns the error */
function refused(answer: Answer, status: number): GoogleError {
  const error = errorOf(answer)
  expect(answer.headers['content-type']).toContain('application/json')
  expect([answer.status, error.code]).toEqual([status, status])
  return error
}

const fcmDetail = (errorCode: FcmErrorCode) => ({ '@type': FCM_ERROR, errorCode })

describe('a token', () => {
  test('that is malformed is INVALID_ARGUMENT of FCM, without a field violation', async () => {
    expect(refused(await sender.send({ token: 'not a token' }), 400)).toEqual({
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'The registration token is not a valid FCM registration token',
      details: [fcmDetail('INVALID_ARGUMENT')],
    })
  })

  test('that is unknown, was replaced, or belongs to a removed app is UNREGISTERED', async () => {
    const expected = {
      status: 'NOT_FOUND',
      message: 'Requested entity was not found.',
      details: [fcmDetail('UNREGISTERED')],
    }
    const unknown = token.replace(/.{8}$/, 'AAAAAAAA')
    expect(refused(await sender.send({ token: unknown }), 404)).toMatchObject(expected)
    const { id, token: renewed } = emulator.control.renewToken(token)
    expect(refused(await sender.send({ token }), 404)).toMatchObject(expected)
    expect((await sender.send({ token: renewed })).status).toBe(200)
    emulator.control.changePhone(id, { is_registered: false })
    expect(refused(await sender.send({ token: renewed }), 404)).toMatchObject(expected)
  })

  test('of another project is SENDER_ID_MISMATCH', async () => {
    const other = emulator.control.makePhone({ project_id: 'other-project' })
    expect(refused(await sender.send({ token: other.token }), 403)).toMatchObject({
      status: 'PERMISSION_DENIED',
      message: 'SenderId mismatch',
      details: [fcmDetail('SENDER_ID_MISMATCH')],
    })
  })

  test('of another package is refused if the message is restricted to a package', async () => {
    const android = { restrictedPackageName: 'com.example.other' }
    expect(refused(await sender.send({ token, android }), 400).details).toMatchObject([
      fcmDetail('INVALID_ARGUMENT'),
      { fieldViolations: [{ field: 'message.android.restricted_package_name' }] },
    ])
    const own = { restrictedPackageName: 'com.example.app' }
    expect((await sender.send({ token, android: own })).status).toBe(200)
  })
})

describe('every error code', () => {
  test.each<[FcmErrorCode, number, string]>([
    ['UNSPECIFIED_ERROR', 500, 'UNKNOWN'],
    ['INVALID_ARGUMENT', 400, 'INVALID_ARGUMENT'],
    ['UNREGISTERED', 404, 'NOT_FOUND'],
    ['SENDER_ID_MISMATCH', 403, 'PERMISSION_DENIED'],
    ['QUOTA_EXCEEDED', 429, 'RESOURCE_EXHAUSTED'],
    ['UNAVAILABLE', 503, 'UNAVAILABLE'],
    ['INTERNAL', 500, 'INTERNAL'],
    ['THIRD_PARTY_AUTH_ERROR', 401, 'UNAUTHENTICATED'],
  ])(
    '%s is caused by the denial of a phone and by a rate, with %i %s',
    async (code, http, status) => {
      emulator.control.changePhone(token, { denial: { code, retry_after_s: 7, times: 1 } })
      const denied = await sender.send({ token })
      expect(refused(denied, http)).toMatchObject({ status })
      expect(errorOf(denied).details?.[0]).toEqual(fcmDetail(code))
      expect(denied.headers['retry-after']).toBe('7')
      expect((await sender.send({ token })).status).toBe(200)

      emulator.control.setFaults({ errors: [{ code, rate: 1 }] })
      const byRate = await sender.send({ token })
      expect(refused(byRate, http)).toEqual(errorOf(denied))
      expect(byRate.headers).not.toHaveProperty('retry-after')
      emulator.control.setFaults({})
      expect(emulator.control.getPhone(token).received).toBe(1)
    },
  )

  test('of a rate is reproducible with the same seed', async () => {
    const run = async () => {
      emulator.control.setFaults({ seed: 3, errors: [{ code: 'UNAVAILABLE', rate: 0.5 }] })
      const statuses: (number | null)[] = []
      for (let at = 0; at < 40; at += 1) statuses.push((await sender.send({ token })).status)
      return statuses
    }
    const first = await run()
    expect(new Set(first)).toEqual(new Set([200, 503]))
    expect(await run()).toEqual(first)
  })
})

describe('the quota', () => {
  let offsetMs = 0

  test('refuses messages beyond it with Retry-After until the minute ends, per project', async () => {
    const startedMs = Date.now()
    const own = await startFcm({
      port: 0,
      authority: createAuthority(),
      now: () => new Date(startedMs + offsetMs),
    })
    const { send, client } = await createSender(own)
    const phone = own.control.makePhone()
    expect(own.control.setQuotas({ messages_per_minute: 2 })).toEqual({
      messages_per_minute: 2,
      streams_max: 100,
    })
    const malformed = 'x'.repeat(22)
    expect((await send({ token: malformed })).status).toBe(400)
    expect((await send({ token: phone.token })).status).toBe(200)
    offsetMs = 20_000
    const over = await send({ token: phone.token })
    expect(refused(over, 429).details).toMatchObject([
      fcmDetail('QUOTA_EXCEEDED'),
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
    ])
    expect(over.headers['retry-after']).toBe('40')
    offsetMs = 60_000
    expect((await send({ token: phone.token })).status).toBe(200)
    client.close()
    await own.close()
  })
})

describe('a body', () => {
  const invalid = async (message: unknown, rest?: object) =>
    refused(await sender.send(message, rest), 400)

  test.each<[string, object, string]>([
    ['an unknown member', { tint: 'red' }, `Unknown name "tint" at 'message': Cannot find field.`],
    [
      'an unknown nested member',
      { android: { notification: { text: 'a' } } },
      `Unknown name "text" at 'message.android.notification': Cannot find field.`,
    ],
    [
      'an unknown enum value',
      { android: { priority: 'URGENT' } },
      `Invalid value at 'message.android.priority'`,
    ],
    ['data that is not text', { data: { count: 3 } }, `Invalid value at 'message.data.count'`],
    [
      'a ttl without its unit',
      { android: { ttl: '60' } },
      `Invalid value at 'message.android.ttl'`,
    ],
  ])('with %s is refused like by Google, without an FcmError', async (_name, more, sentence) => {
    const error = await invalid({ token, ...more })
    expect(error.message).toContain(`Invalid JSON payload received. ${sentence}`)
    expect(error).toMatchObject({ status: 'INVALID_ARGUMENT', details: [{ '@type': BAD_REQUEST }] })
    expect(error.details).toHaveLength(1)
  })

  test.each<[string, object, string]>([
    ['a reserved key', { data: { from: 'a' } }, 'Invalid data payload key: from'],
    ['a reserved prefix', { data: { 'google.x': 'a' } }, 'Invalid data payload key: google.x'],
    [
      'a reserved key of Android',
      { android: { data: { 'gcm.notification.a': 'b' } } },
      'Invalid data payload key: gcm.notification.a',
    ],
    ['a ttl of five weeks', { android: { ttl: '3024000s' } }, 'Invalid ttl'],
    ['a negative ttl', { android: { ttl: '-1s' } }, 'Invalid ttl'],
    ['another color', { android: { notification: { color: 'red' } } }, 'Invalid color'],
    ['two targets', { topic: 'news' }, 'more than one recipient'],
  ])('with %s is refused by FCM, naming the member', async (_name, more, sentence) => {
    const error = await invalid({ token, ...more })
    expect(error.message).toContain(sentence)
    expect(error.details).toMatchObject([
      fcmDetail('INVALID_ARGUMENT'),
      {
        '@type': BAD_REQUEST,
        fieldViolations: [{ field: expect.stringContaining('message') as string }],
      },
    ])
  })

  test('without a message, a target or a valid topic is refused', async () => {
    expect((await invalid(undefined)).message).toBe('Message is not set.')
    expect((await invalid({})).message).toBe('Recipient of the message is not set.')
    expect((await invalid({ topic: 'a b' })).message).toBe('Invalid topic name')
  })

  test('that is not a JSON object is refused', async () => {
    expect(refused(await sender.post('{'), 400).message).toContain('Unexpected token')
    expect(refused(await sender.post('[]'), 400).message).toContain('must be a message')
  })

  test('of more than 4096 bytes, or 2048 to a topic, is refused by FCM', async () => {
    const of = (bytes: number) => ({ data: { a: 'x'.repeat(bytes - 8) } })
    expect((await sender.send({ token, ...of(4_096) })).status).toBe(200)
    const error = await invalid({ token, ...of(4_097) })
    expect(error.message).toBe('Android message is too big')
    expect(error.details).toEqual([fcmDetail('INVALID_ARGUMENT')])
    expect((await sender.send({ topic: 'news', ...of(2_048) })).status).toBe(200)
    expect((await invalid({ topic: 'news', ...of(2_049) })).message).toContain('too big')
  })

  test('can be in snake_case with a lower-case priority, the form of the guides', async () => {
    const message = {
      token,
      android: { priority: 'high', collapse_key: 'c', notification: { channel_id: 'x' } },
    }
    expect((await sender.send(message, { validate_only: true })).status).toBe(200)
    expect(emulator.control.getPhone(token).received).toBe(0)
    expect((await sender.send(message)).status).toBe(200)
    expect(emulator.control.getPhone(token).last).toMatchObject([
      { body: { android: { priority: 'HIGH', collapseKey: 'c' } } },
    ])
  })
})
