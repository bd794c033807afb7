import { describe, expect, it } from 'vitest'
import type { Outcome } from '../../platform/net/post-outcome.ts'
import { type Attempted, settlementOf } from './settlement.ts'

const NOW = new Date('2026-03-01T12:00:00Z')
const SCHEDULE_MS = [5000, 300_000]

const settle = (outcome: Attempted, attempts = 1) =>
  settlementOf({ outcome, attempts, schedule_ms: SCHEDULE_MS, random: 0.5, now: NOW })
const answered = (status: number, retry_after: string | null = null): Outcome => ({
  kind: 'answered',
  status,
  body_start: 'text',
  latency_ms: 20,
  retry_after,
})

describe('an attempt', () => {
  it.each([200, 201, 202, 204, 299])('that is answered %i has succeeded', (status) => {
    expect(settle(answered(status))).toEqual({
      verdict: 'delivered',
      row: {
        status: 'succeeded',
        delay_ms: null,
        response_status: status,
        response_body: 'text',
        error: null,
        latency_ms: 20,
      },
    })
  })

  it.each([
    [300, 'Answered 300; redirects are not followed'],
    [302, 'Answered 302; redirects are not followed'],
    [304, 'Answered 304; redirects are not followed'],
    [400, 'Answered 400'],
    [500, 'Answered 500'],
  ])('that is answered %i has failed, with an error, and is retried', (status, error) => {
    const { verdict, row } = settle(answered(status))
    expect(verdict).toBe('failed')
    expect(row).toMatchObject({ status: 'failed', delay_ms: 5000, response_status: status, error })
  })

  it('that is answered 410 reports the endpoint as gone', () => {
    expect(settle(answered(410))).toMatchObject({
      verdict: 'gone',
      row: { status: 'failed', error: 'Answered 410' },
    })
  })

  it('without an answer has an error message for the customer', () => {
    const { verdict, row } = settle({ kind: 'failed', reason: 'timeout', latency_ms: 15_000 }, 2)
    expect(verdict).toBe('failed')
    expect(row).toEqual({
      status: 'failed',
      delay_ms: 300_000,
      response_status: null,
      response_body: null,
      error: 'There was no complete answer in time',
      latency_ms: 15_000,
    })
    expect(settle({ kind: 'refused', reason: 'not_public', latency_ms: 1 }).row.error).toBe(
      'The URL must lead to the public internet',
    )
  })

  it('that fails at the end of the schedule is the last one', () => {
    expect(settle(answered(503), 3).row).toMatchObject({ status: 'exhausted', delay_ms: null })
    expect(settle(answered(503), 99).row).toMatchObject({ status: 'exhausted', delay_ms: null })
  })

  it('honors a longer Retry-After', () => {
    expect(settle(answered(429, '60')).row.delay_ms).toBe(60_000)
    expect(settle(answered(503, 'Sun, 01 Mar 2026 12:10:00 GMT')).row.delay_ms).toBe(600_000)
    expect(settle(answered(503, 'soon')).row.delay_ms).toBe(5000)
    expect(settle(answered(503, '999999999')).row.delay_ms).toBe(3_600_000)
  })

  it('that this process stopped does not count', () => {
    expect(settle({ kind: 'failed', reason: 'stopped', latency_ms: 1 }).verdict).toBe('stopped')
  })

  it('without an event to send is the last one, and is not held against the endpoint', () => {
    expect(settle(null)).toMatchObject({
      verdict: 'vanished',
      row: { status: 'exhausted', delay_ms: null, error: 'The event has been deleted' },
    })
  })
})
