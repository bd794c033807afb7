/** Decides what the outcome of an attempt means for the delivery and its endpoint. Pure. */
import { retryDelayMs } from '../../platform/dispatch/index.ts'
import { FAILURE_TEXTS, type Outcome, REFUSAL_TEXTS } from '../../platform/net/post-outcome.ts'
import { retryAfterSeconds } from '../../platform/net/retry-after.ts'
import type { SettledRow } from './queue.store.ts'

/**
 * `gone`: the receiver answered 410. `vanished`: the event was deleted before it could be sent.
 * `stopped`: this process shut down during the attempt.
 */
export type Verdict = 'delivered' | 'failed' | 'gone' | 'vanished' | 'stopped'

export type Settlement = {
  verdict: Verdict
  row: Omit<SettledRow, 'org_id' | 'endpoint_id' | 'id' | 'lease_id'>
}

/** Null when the event had been deleted, so that nothing was sent. */
export type Attempted = Outcome | null

export type SettlementInput = {
  outcome: Attempted
  /** Number of attempts so far, including this one. */
  attempts: number
  schedule_ms: readonly number[]
  /** In [0, 1). */
  random: number
  now: Date
}

const GONE = 410

export function settlementOf(input: SettlementInput): Settlement {
  const { outcome } = input
  const verdict = verdictOf(outcome)
  const isFinal = verdict === 'delivered' || verdict === 'vanished'
  const delay_ms = isFinal ? null : delayOf(input)
  const answer = outcome?.kind === 'answered' ? outcome : undefined
  return {
    verdict,
    row: {
      status: verdict === 'delivered' ? 'succeeded' : delay_ms === null ? 'exhausted' : 'failed',
      delay_ms,
      response_status: answer?.status ?? null,
      response_body: answer?.body_start ?? null,
      error: errorOf(outcome),
      latency_ms: outcome?.latency_ms ?? null,
    },
  }
}

export const isDelivered = (outcome: Attempted): boolean => verdictOf(outcome) === 'delivered'

function verdictOf(outcome: Attempted): Verdict {
  if (outcome === null) return 'vanished'
  if (outcome.kind === 'refused') return 'failed'
  if (outcome.kind === 'failed') return outcome.reason === 'stopped' ? 'stopped' : 'failed'
  if (isSuccess(outcome.status)) return 'delivered'
  return outcome.status === GONE ? 'gone' : 'failed'
}

function delayOf(input: SettlementInput): number | null {
  const { outcome, now } = input
  const retryAfter = outcome?.kind === 'answered' ? outcome.retry_after : null
  return retryDelayMs({ ...input, retry_after_s: retryAfterSeconds(retryAfter, now) }) ?? null
}

function errorOf(outcome: Attempted): string | null {
  if (outcome === null) return 'The event has been deleted'
  switch (outcome.kind) {
    case 'refused':
      return `The URL ${REFUSAL_TEXTS[outcome.reason]}`
    case 'failed':
      return FAILURE_TEXTS[outcome.reason]
    case 'answered':
      return answerFault(outcome.status)
  }
}

function answerFault(status: number): string | null {
  if (isSuccess(status)) return null
  if (status >= 300 && status < 400) return `Answered ${status}; redirects are not followed`
  return `Answered ${status}`
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300
