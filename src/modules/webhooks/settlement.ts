/** What an attempt makes of a delivery and of its endpoint. Pure. */
import { retryDelayMs } from '../../platform/dispatch/index.ts'
import { FAILURE_TEXTS, type Outcome, REFUSAL_TEXTS } from '../../platform/net/post-outcome.ts'
import { retryAfterSeconds } from '../../platform/net/retry-after.ts'
import type { SettledRow } from './queue/store.ts'

/**
 * `gone`: the receiver said that it wants no more. `vanished`: the event was deleted before it could
 * be sent. `stopped`: this process had to end.
 */
export type Verdict = 'delivered' | 'failed' | 'gone' | 'vanished' | 'stopped'

export type Settlement = {
  verdict: Verdict
  row: Omit<SettledRow, 'endpoint_id' | 'id' | 'lease_id'>
}

/** Null when there was nothing to send any more. */
export type Attempted = Outcome | null

export type SettlementQuestion = {
  outcome: Attempted
  /** This one included. */
  attempts: number
  schedule_ms: readonly number[]
  /** From 0 up to, not including, 1. */
  random: number
  now: Date
}

const GONE = 410

export function settlementOf(question: SettlementQuestion): Settlement {
  const { outcome } = question
  const verdict = verdictOf(outcome)
  const isFinal = verdict === 'delivered' || verdict === 'vanished'
  const delay_ms = isFinal ? null : delayOf(question)
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

function verdictOf(outcome: Attempted): Verdict {
  if (outcome === null) return 'vanished'
  if (outcome.kind === 'refused') return 'failed'
  if (outcome.kind === 'failed') return outcome.reason === 'stopped' ? 'stopped' : 'failed'
  if (isSuccess(outcome.status)) return 'delivered'
  return outcome.status === GONE ? 'gone' : 'failed'
}

function delayOf(question: SettlementQuestion): number | null {
  const { outcome, now } = question
  const wish = outcome?.kind === 'answered' ? outcome.retry_after : null
  return retryDelayMs({ ...question, retry_after_s: retryAfterSeconds(wish, now) }) ?? null
}

function errorOf(outcome: Attempted): string | null {
  if (outcome === null) return 'The event is not stored any more'
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
