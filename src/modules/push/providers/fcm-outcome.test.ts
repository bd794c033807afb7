import { describe, expect, it } from 'vitest'
import type { ProviderAnswer } from './answer.ts'
import { outcomeOfFcm } from './fcm-outcome.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const NAME = 'projects/example-project/messages/0:1772366400%31bd1c9631bd1c96'
const TYPES = 'type.googleapis.com/google'
const SECRET = 'device:token-that-must-stay-secret'

const answer = (status: number, body: unknown, rest: Partial<ProviderAnswer> = {}) =>
  outcomeOfFcm(
    { kind: 'answered', status, headers: {}, is_whole: true, body: textOf(body), ...rest },
    NOW,
  )
const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body))

const fcmError = (errorCode: string) => ({
  '@type': `${TYPES}.firebase.fcm.v1.FcmError`,
  errorCode,
})
const violation = (...fields: string[]) => ({
  '@type': `${TYPES}.rpc.BadRequest`,
  fieldViolations: fields.map((field) => ({ field, description: SECRET })),
})
const error = (status: string, details: object[], message = `About ${SECRET}`) => ({
  error: { code: 400, message, status, details },
})

describe('an answer of FCM', () => {
  it('that names the message is an acceptance', () => {
    expect(answer(200, { name: NAME })).toEqual({ kind: 'accepted', provider_id: NAME })
  })

  it('that is successful but cut off is an acceptance without the name', () => {
    const cutOff = answer(200, '{"name": "projec', { is_whole: false })
    expect(cutOff).toEqual({ kind: 'accepted', provider_id: null })
  })

  it('that is successful but malformed is ambiguous', () => {
    for (const body of ['<html>', '{}', '[]', 'null', '{"name": 3}']) {
      expect(answer(200, body)).toEqual({ kind: 'retry', reason: 'BAD_ANSWER', is_ambiguous: true })
    }
  })

  it.each([
    ['UNREGISTERED', 404],
    ['SENDER_ID_MISMATCH', 403],
  ])('with %s concerns the token', (code, status) => {
    const result = answer(status, error('NOT_FOUND', [fcmError(code)]))
    expect(result).toEqual({ kind: 'token_invalid', reason: code })
  })

  it.each([
    [
      'the sentence',
      error(
        'INVALID_ARGUMENT',
        [fcmError('INVALID_ARGUMENT')],
        'The registration token is not a valid FCM registration token',
      ),
    ],
    [
      'the violation',
      error('INVALID_ARGUMENT', [fcmError('INVALID_ARGUMENT'), violation('message.token')]),
    ],
  ])('with INVALID_ARGUMENT concerns the token according to %s', (_, body) => {
    expect(answer(400, body)).toEqual({ kind: 'token_invalid', reason: 'INVALID_ARGUMENT' })
  })

  it.each([
    ['another field', [fcmError('INVALID_ARGUMENT'), violation('message.android.ttl')]],
    [
      'the token and another member',
      [fcmError('INVALID_ARGUMENT'), violation('message.token', 'message.android.ttl')],
    ],
    ['FCM without a field', [fcmError('INVALID_ARGUMENT')]],
    ['the Google frontend', [violation('message')]],
    ['no details', []],
  ])('with INVALID_ARGUMENT does not invalidate the token according to %s', (_, details) => {
    const result = answer(400, error('INVALID_ARGUMENT', details))
    expect(result).toEqual({ kind: 'message_rejected', reason: 'INVALID_ARGUMENT' })
  })

  it('with QUOTA_EXCEEDED pauses for as long as it asks, or a minute', () => {
    const body = error('RESOURCE_EXHAUSTED', [fcmError('QUOTA_EXCEEDED')])
    const limit = { kind: 'throttled', scope: 'application' }
    expect(answer(429, body)).toEqual({ ...limit, retry_after_s: 60 })
    const headers = { 'retry-after': 'Sun, 01 Mar 2026 12:02:00 GMT' }
    expect(answer(429, body, { headers })).toEqual({ ...limit, retry_after_s: 120 })
  })

  it('with QUOTA_EXCEEDED of one device does not hold up others', () => {
    const failure = {
      '@type': `${TYPES}.rpc.QuotaFailure`,
      violations: [{ subject: 'token', description: 'Device message rate exceeded' }],
    }
    const result = answer(429, error('RESOURCE_EXHAUSTED', [fcmError('QUOTA_EXCEEDED'), failure]))
    expect(result).toMatchObject({ kind: 'throttled', scope: 'device' })
  })

  it.each([
    ['UNAVAILABLE', 503],
    ['INTERNAL', 500],
    ['UNSPECIFIED_ERROR', 500],
  ])('with %s is retried', (code, status) => {
    const result = answer(status, error('X', [fcmError(code)]), { headers: { 'retry-after': '7' } })
    expect(result).toEqual({
      kind: 'retry',
      reason: code,
      is_ambiguous: false,
      retry_after_s: 7,
    })
  })

  it.each([
    ['THIRD_PARTY_AUTH_ERROR', 401, [fcmError('THIRD_PARTY_AUTH_ERROR')]],
    ['UNAUTHENTICATED', 401, []],
    ['PERMISSION_DENIED', 403, []],
    ['SERVICE_DISABLED', 403, [{ '@type': `${TYPES}.rpc.ErrorInfo`, reason: 'SERVICE_DISABLED' }]],
  ])('with %s concerns the credential, in our own words', (reason, status, details) => {
    const general = status === 401 ? 'UNAUTHENTICATED' : 'PERMISSION_DENIED'
    const result = answer(status, error(general, details))
    expect(result).toMatchObject({ kind: 'credential_rejected', reason })
    expect(JSON.stringify(result)).not.toContain(SECRET)
  })

  it.each([
    [400, 'message_rejected'],
    [401, 'credential_rejected'],
    [403, 'credential_rejected'],
    [404, 'message_rejected'],
    [429, 'throttled'],
    [302, 'retry'],
    [500, 'retry'],
    [502, 'retry'],
  ])('of an unknown kind is classified by its status %i', (status, kind) => {
    for (const body of [
      '<html>',
      '',
      'null',
      `{"error": "${SECRET}"}`,
      '{"error": {"details": 3}}',
    ]) {
      const result = answer(status, body)
      expect(result.kind).toBe(kind)
      expect(JSON.stringify(result)).not.toContain(SECRET)
    }
  })

  it.each([408, 504])('with a gateway timeout is ambiguous (%i)', (status) => {
    expect(answer(status, '')).toMatchObject({ kind: 'retry', is_ambiguous: true })
  })

  it('that is cut off before its reason costs neither message nor token', () => {
    for (const status of [400, 401, 403, 404, 429, 500]) {
      const result = answer(status, '{"error": {"code": 4', { is_whole: false })
      expect(result).toEqual({ kind: 'retry', reason: 'CUT_OFF', is_ambiguous: false })
    }
  })

  it('with a malformed code does not pass it on', () => {
    const result = answer(400, error(SECRET, [fcmError(`${SECRET} ${SECRET}`)]))
    expect(result).toEqual({ kind: 'message_rejected', reason: 'HTTP_400' })
  })
})
