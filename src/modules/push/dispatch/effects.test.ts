import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type SendResult, throttled } from '../providers/port.ts'
import { ATTEMPTS_MAX, type Effect, type EffectQuestion, effectOf } from './effects.ts'

const effect = (outcome: EffectQuestion['outcome'], given: Partial<EffectQuestion> = {}): Effect =>
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

describe('a notification that was accepted', () => {
  it('is, and so is the credential', () => {
    expect(effect({ kind: 'accepted', provider_id: 'id-1' })).toEqual({
      verdict: 'accepted',
      change: { status: 'accepted', provider_id: 'id-1' },
      credential: { kind: 'accepted' },
    })
  })
})

describe('a token that is no longer good', () => {
  it('fails the recipient and ends the subscription, for the same reason', () => {
    expect(effect({ kind: 'token_invalid', reason: 'UNREGISTERED' })).toEqual({
      verdict: 'failed',
      change: { status: 'failed', reason: 'UNREGISTERED', is_attempt: true },
      invalidation: { reason: 'UNREGISTERED' },
    })
  })

  it('is one of the other environment where that may be', () => {
    const result = { kind: 'token_invalid', reason: 'BadDeviceToken', is_wrong_environment: true }
    expect(effect(result as SendResult)).toMatchObject({
      change: { reason: 'wrong_environment' },
      invalidation: { reason: 'wrong_environment' },
    })
  })

  it('is not good since when the provider says', () => {
    const invalid_since = new Date('2026-03-01T12:00:00Z')
    const result: SendResult = { kind: 'token_invalid', reason: 'Unregistered', invalid_since }
    expect(effect(result).invalidation).toEqual({ reason: 'Unregistered', invalid_since })
  })

  it.each(['SENDER_ID_MISMATCH', 'DeviceTokenNotForTopic'])(
    '(%s) may be the fault of the credential, if it is so of many',
    (reason) => {
      const { invalidation, if_foreign } = effect({ kind: 'token_invalid', reason })
      expect(invalidation).toEqual({ reason })
      expect(if_foreign).toMatch(/registered/)
    },
  )

  it('that the app has replaced is tried again a few times, and ends nothing', () => {
    const result: SendResult = { kind: 'token_invalid', reason: 'UNREGISTERED' }
    const statuses = [0, 1, 2, 3].map((attempts) => {
      const { change, invalidation } = effect(result, { attempts, is_token_outdated: true })
      expect(invalidation).toBeUndefined()
      return change?.status
    })
    expect(statuses).toEqual(['pending', 'pending', 'pending', 'failed'])
  })
})

describe('what cannot be sent', () => {
  it('fails, and nobody else is to blame', () => {
    expect(effect({ kind: 'message_rejected', reason: 'PayloadTooLarge' })).toEqual({
      verdict: 'failed',
      change: { status: 'failed', reason: 'PayloadTooLarge', is_attempt: true },
    })
    expect(effect(retry('unsendable'))).toMatchObject({
      change: { status: 'failed', reason: 'unsendable' },
    })
  })

  it('and was not, was no attempt', () => {
    expect(effect({ kind: 'not_sent', reason: 'signed_out' })).toEqual({
      verdict: 'failed',
      change: { status: 'failed', reason: 'signed_out', is_attempt: false },
    })
  })
})

describe('a credential that is rejected', () => {
  it('needs attention, while the recipient is as if it had never been sent to', () => {
    const safe_text = 'Check the key.'
    expect(effect({ kind: 'credential_rejected', reason: 'Forbidden', safe_text })).toEqual({
      verdict: 'credential_rejected',
      credential: { kind: 'rejected', error: 'Check the key.' },
    })
  })
})

describe('a provider that wants fewer requests', () => {
  it.each(['application', 'token_updates'] as const)('of %s pauses the credential', (scope) => {
    expect(effect(throttled(scope, 60), { attempts: 50, is_unsure: true })).toEqual({
      verdict: 'throttled',
      credential: { kind: 'throttled', pause_ms: 60_000 },
    })
  })

  it('at once is left alone for a moment all the same', () => {
    expect(effect(throttled('application', 0)).credential).toEqual({
      kind: 'throttled',
      pause_ms: 1000,
    })
  })

  it('of a device gets none for it until then, and nobody else waits', () => {
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

describe('a provider that is away', () => {
  it.each([
    'unreachable',
    'timeout',
    'UNAVAILABLE',
    'ServiceUnavailable',
    'Shutdown',
    'HTTP_503',
    'token_unavailable',
  ])('(%s) is waited for, however often it was tried', (reason) => {
    const tried = effect(retry(reason, false, 7), { attempts: 1000 })
    expect(tried).toMatchObject({
      verdict: 'retried',
      change: { status: 'pending', reason },
      credential: { kind: 'away', pause_ms: 7000 },
    })
  })

  it.each(['refused', 'busy', 'IdleTimeout'])('is another thing than %s', (reason) => {
    const tried = effect(retry(reason), { attempts: 1000 })
    expect(tried.change).toMatchObject({ status: 'pending' })
    expect(tried.credential).toBeUndefined()
  })
})

describe('a provider that answers that it failed', () => {
  it.each(['INTERNAL', 'InternalServerError', 'HTTP_500', 'CUT_OFF'])(
    '(%s) is asked ten times, ever later',
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

  it('is not asked before the time that it names', () => {
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
  it.each(['timeout', 'broken', 'BAD_ANSWER', 'HTTP_504'])('(%s) is made once more', (reason) => {
    const first = effect(retry(reason, true))
    expect(first.change).toMatchObject({ status: 'pending', is_unsure: true, reason })
    const second = effect(retry(reason, true), { attempts: 1, is_unsure: true })
    expect(second).toMatchObject({
      verdict: 'failed',
      change: { status: 'failed', reason: 'no_answer' },
    })
  })

  it('leaves its doubt while others are certainly in vain', () => {
    const { change } = effect(retry('UNAVAILABLE'), { attempts: 1, is_unsure: true })
    expect(change).toMatchObject({ status: 'pending', is_unsure: true })
  })
})

describe('an attempt that was stopped with its process', () => {
  it('is none when it was not begun', () => {
    expect(effect(retry('stopped'))).toEqual({ verdict: 'stopped' })
    expect(effect(retry('closed'))).toEqual({ verdict: 'stopped' })
  })

  it('goes to another process at once, as the last but one, when it was', () => {
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
