import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SendResult, throttled } from '../providers/port.ts'
import { ATTEMPTS_MAX, type Effect, type EffectInput, effectOf } from './effects.ts'

const effect = (outcome: EffectInput['outcome'], given: Partial<EffectInput> = {}): Effect =>
  effectOf({
    outcome,
    attempts: 0,
    is_unsure: false,
    is_token_outdated: false,
    random: 0.5,
    ...given,
  })

const retry = (reason: string, is_ambiguous = false, retry_after_s?: number): SendResult => ({
  kind: 'retry',
  reason,
  is_ambiguous,
  ...(retry_after_s !== undefined && { retry_after_s }),
})

describe('an accepted notification', () => {
  it('marks the recipient and the credential as accepted', () => {
    expect(effect({ kind: 'accepted', provider_id: 'id-1' })).toEqual({
      verdict: 'accepted',
      change: { status: 'accepted', provider_id: 'id-1' },
      credential: { kind: 'accepted' },
    })
  })
})

describe('an invalid token', () => {
  it('fails the recipient and invalidates the subscription for the same reason', () => {
    expect(effect({ kind: 'token_invalid', reason: 'UNREGISTERED' })).toEqual({
      verdict: 'failed',
      change: { status: 'failed', reason: 'UNREGISTERED', is_attempt: true },
      invalidation: { reason: 'UNREGISTERED' },
    })
  })

  it('is reported as of the other environment where that is possible', () => {
    const result = { kind: 'token_invalid', reason: 'BadDeviceToken', is_wrong_environment: true }
    expect(effect(result as SendResult)).toMatchObject({
      change: { reason: 'wrong_environment' },
      invalidation: { reason: 'wrong_environment' },
    })
  })

  it('is invalid from the time that the provider reports', () => {
    const invalid_since = new Date('2026-03-01T12:00:00Z')
    const result: SendResult = { kind: 'token_invalid', reason: 'Unregistered', invalid_since }
    expect(effect(result).invalidation).toEqual({ reason: 'Unregistered', invalid_since })
  })

  it.each(['SENDER_ID_MISMATCH', 'DeviceTokenNotForTopic'])(
    '(%s) may point at the credential, if many devices report it',
    (reason) => {
      const { invalidation, if_foreign } = effect({ kind: 'token_invalid', reason })
      expect(invalidation).toEqual({ reason })
      expect(if_foreign).toMatch(/registered/)
    },
  )

  it('that the app has replaced is retried a few times and invalidates nothing', () => {
    const result: SendResult = { kind: 'token_invalid', reason: 'UNREGISTERED' }
    const statuses = [0, 1, 2, 3].map((attempts) => {
      const { change, invalidation } = effect(result, { attempts, is_token_outdated: true })
      expect(invalidation).toBeUndefined()
      return change?.status
    })
    expect(statuses).toEqual(['pending', 'pending', 'pending', 'failed'])
  })
})

describe('a notification that cannot be sent', () => {
  it('fails without affecting subscription or credential', () => {
    expect(effect({ kind: 'message_rejected', reason: 'PayloadTooLarge' })).toEqual({
      verdict: 'failed',
      change: { status: 'failed', reason: 'PayloadTooLarge', is_attempt: true },
    })
    expect(effect(retry('unsendable'))).toMatchObject({
      change: { status: 'failed', reason: 'unsendable' },
    })
  })

  it('does not count as an attempt if no request was made', () => {
    expect(effect({ kind: 'not_sent', reason: 'signed_out' })).toEqual({
      verdict: 'failed',
      change: { status: 'failed', reason: 'signed_out', is_attempt: false },
    })
  })
})

describe('a rejected credential', () => {
  it('needs attention, while the recipient is released', () => {
    const safe_text = 'Check the key.'
    expect(effect({ kind: 'credential_rejected', reason: 'Forbidden', safe_text })).toEqual({
      verdict: 'credential_rejected',
      credential: { kind: 'rejected', error: 'Check the key.' },
    })
  })
})

describe('a provider that throttles', () => {
  it.each(['application', 'token_updates'] as const)('by %s pauses the credential', (scope) => {
    expect(effect(throttled(scope, 60), { attempts: 50, is_unsure: true })).toEqual({
      verdict: 'throttled',
      credential: { kind: 'throttled', pause_ms: 60_000 },
    })
  })

  it('is paused for a moment even with Retry-After 0', () => {
    expect(effect(throttled('application', 0)).credential).toEqual({
      kind: 'throttled',
      pause_ms: 1000,
    })
  })

  it('a device delays only that device', () => {
    const { change, credential } = effect(throttled('device', 60))
    expect(change).toEqual({
      status: 'pending',
      reason: 'device_throttled',
      is_unsure: false,
      delay_ms: 60_000,
    })
    expect(credential).toBeUndefined()
    const last = effect(throttled('device', 60), { attempts: ATTEMPTS_MAX - 1 })
    expect(last.change).toMatchObject({ status: 'failed', reason: 'device_throttled' })
  })
})

describe('an unavailable provider', () => {
  it.each([
    'unreachable',
    'timeout',
    'UNAVAILABLE',
    'ServiceUnavailable',
    'Shutdown',
    'HTTP_503',
    'token_unavailable',
  ])('(%s) is retried, regardless of the number of attempts', (reason) => {
    const tried = effect(retry(reason, false, 7), { attempts: 1000 })
    expect(tried).toMatchObject({
      verdict: 'retried',
      change: { status: 'pending', reason },
      credential: { kind: 'unavailable', pause_ms: 7000 },
    })
  })

  it.each(['refused', 'busy', 'IdleTimeout'])('is not inferred from %s', (reason) => {
    const tried = effect(retry(reason), { attempts: 1000 })
    expect(tried.change).toMatchObject({ status: 'pending' })
    expect(tried.credential).toBeUndefined()
  })
})

describe('a provider with internal errors', () => {
  it.each(['INTERNAL', 'InternalServerError', 'HTTP_500', 'CUT_OFF'])(
    '(%s) is retried up to ten attempts, with increasing delays',
    (reason) => {
      const delays: (number | null)[] = []
      let attempts = 0
      for (; attempts < 20; attempts += 1) {
        const { change, credential } = effect(retry(reason), { attempts })
        expect(credential).toEqual({ kind: 'failing', pause_ms: 0 })
        if (change?.status !== 'pending') break
        delays.push(change.delay_ms)
      }
      expect(effect(retry(reason), { attempts }).change).toMatchObject({ status: 'failed', reason })
      expect(attempts + 1).toBe(10)
      expect(delays).toEqual(delays.toSorted((a, b) => (a ?? 0) - (b ?? 0)))
      expect(delays[0]).toBe(10_000)
    },
  )

  it('is not retried before the time that it asks for', () => {
    fc.assert(
      fc.property(fc.nat(9), fc.integer({ min: 0, max: 3600 }), fc.double(), (made, wish, luck) => {
        const random = Math.abs(luck % 1) || 0
        const { change } = effect(retry('UNAVAILABLE', false, wish), { attempts: made, random })
        expect(change?.status === 'pending' && (change.delay_ms ?? 0) >= wish * 1000).toBe(true)
      }),
    )
  })
})

describe('an attempt that ended without an answer', () => {
  it.each(['timeout', 'broken', 'BAD_ANSWER', 'HTTP_504'])('(%s) is repeated once', (reason) => {
    const first = effect(retry(reason, true))
    expect(first.change).toMatchObject({ status: 'pending', is_unsure: true, reason })
    const second = effect(retry(reason, true), { attempts: 1, is_unsure: true })
    expect(second).toMatchObject({
      verdict: 'failed',
      change: { status: 'failed', reason: 'no_answer' },
    })
  })

  it('stays in doubt when later attempts certainly fail', () => {
    const { change } = effect(retry('UNAVAILABLE'), { attempts: 1, is_unsure: true })
    expect(change).toMatchObject({ status: 'pending', is_unsure: true })
  })
})

describe('an attempt aborted by a shutdown', () => {
  it('does not count if it had not started', () => {
    expect(effect(retry('stopped'))).toEqual({ verdict: 'stopped' })
    expect(effect(retry('closed'))).toEqual({ verdict: 'stopped' })
  })

  it('is repeated once by another process if it had started', () => {
    expect(effect(retry('stopped', true))).toEqual({
      verdict: 'stopped',
      change: { status: 'pending', reason: 'stopped', is_unsure: true, delay_ms: null },
    })
    expect(effect(retry('stopped', true), { is_unsure: true }).change).toMatchObject({
      status: 'failed',
      reason: 'no_answer',
    })
  })
})
