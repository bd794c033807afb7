import { describe, expect, it } from 'vitest'
import { REASONS } from '../../../../emulators/apns/reasons.ts'
import type { ProviderAnswer } from './answer.ts'
import { outcomeOfApns } from './apns-outcome.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const ID = '0198c3a2-7b1e-7c3d-9a54-3f2b8e6d1c07'

const answer = (status: number, body: unknown, headers: ProviderAnswer['headers'] = {}) => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return outcomeOfApns({ kind: 'answered', status, headers, is_whole: true, body: text }, ID, NOW)
}

const KINDS: Readonly<Record<keyof typeof REASONS, string>> = {
  BadDeviceToken: 'token_invalid',
  DeviceTokenNotForTopic: 'token_invalid',
  ExpiredToken: 'token_invalid',
  Unregistered: 'token_invalid',
  BadCollapseId: 'message_rejected',
  BadExpirationDate: 'message_rejected',
  BadMessageId: 'message_rejected',
  BadPath: 'message_rejected',
  BadPriority: 'message_rejected',
  DuplicateHeaders: 'message_rejected',
  InvalidPushType: 'message_rejected',
  MethodNotAllowed: 'message_rejected',
  MissingDeviceToken: 'message_rejected',
  PayloadEmpty: 'message_rejected',
  PayloadTooLarge: 'message_rejected',
  BadCertificate: 'credential_rejected',
  BadCertificateEnvironment: 'credential_rejected',
  BadEnvironmentKeyIdInToken: 'credential_rejected',
  BadTopic: 'credential_rejected',
  ExpiredProviderToken: 'credential_rejected',
  Forbidden: 'credential_rejected',
  InvalidProviderToken: 'credential_rejected',
  InvalidSigningKey: 'credential_rejected',
  MissingProviderToken: 'credential_rejected',
  MissingTopic: 'credential_rejected',
  TopicDisallowed: 'credential_rejected',
  UnrelatedKeyIdInToken: 'credential_rejected',
  TooManyProviderTokenUpdates: 'throttled',
  TooManyRequests: 'throttled',
  IdleTimeout: 'retry',
  InternalServerError: 'retry',
  ServiceUnavailable: 'retry',
  Shutdown: 'retry',
}

describe('an answer of APNs', () => {
  it('with success is an acceptance under the id of Apple, or under ours', () => {
    const accepted = { kind: 'accepted', provider_id: ID }
    expect(answer(200, '')).toEqual(accepted)
    expect(answer(200, '', { 'apns-id': 'OTHER' })).toEqual({ ...accepted, provider_id: 'OTHER' })
  })

  it.each(Object.entries(KINDS))('with %s is %s', (reason, kind) => {
    const result = answer(REASONS[reason as keyof typeof REASONS], { reason })
    expect(result.kind).toBe(kind)
    if (result.kind !== 'throttled') expect(result).toMatchObject({ reason })
  })

  it('distinguishes tokens that may be valid in the other environment', () => {
    expect(answer(400, { reason: 'BadDeviceToken' })).toMatchObject({ is_wrong_environment: true })
    const other = answer(400, { reason: 'DeviceTokenNotForTopic' })
    expect(other).not.toHaveProperty('is_wrong_environment')
  })

  it('has the time since when a token is invalid, if it is a valid time', () => {
    const dead = { kind: 'token_invalid', reason: 'Unregistered' }
    const timestamp = 1_772_366_400_123
    const result = answer(410, { reason: 'Unregistered', timestamp })
    expect(result).toEqual({ ...dead, invalid_since: new Date(timestamp) })
    for (const odd of ['1772366400123', 1e300, -1, null]) {
      expect(answer(410, { reason: 'Unregistered', timestamp: odd })).toEqual(dead)
    }
  })

  it('distinguishes the scope of a limit', () => {
    expect(answer(429, { reason: 'TooManyRequests' })).toMatchObject({ scope: 'device' })
    const updates = answer(429, { reason: 'TooManyProviderTokenUpdates' }, { 'retry-after': '9' })
    expect(updates).toEqual({ kind: 'throttled', scope: 'token_updates', retry_after_s: 9 })
    expect(answer(429, { reason: 'Unheard' })).toMatchObject({ scope: 'application' })
  })

  it.each([
    [400, 'message_rejected'],
    [403, 'credential_rejected'],
    [404, 'message_rejected'],
    [410, 'token_invalid'],
    [413, 'message_rejected'],
    [429, 'throttled'],
    [500, 'retry'],
    [503, 'retry'],
    [307, 'retry'],
  ])('of an unknown kind is classified by its status %i', (status, kind) => {
    for (const body of ['<html>', '', 'null', '{"reason": "Unheard"}', '{"reason": {"a": 1}}']) {
      expect(answer(status, body).kind).toBe(kind)
    }
  })

  it('that is cut off before its reason costs neither message nor token', () => {
    for (const status of [400, 403, 410, 429, 500]) {
      const given = {
        kind: 'answered' as const,
        status,
        headers: {},
        is_whole: false,
        body: '{"rea',
      }
      const result = outcomeOfApns(given, ID, NOW)
      expect(result).toEqual({ kind: 'retry', reason: 'CUT_OFF', is_ambiguous: false })
    }
  })

  it('does not pass on a reason that is not a code', () => {
    const result = answer(400, { reason: 'the token is abcdef' })
    expect(result).toEqual({ kind: 'message_rejected', reason: 'HTTP_400' })
  })
})
