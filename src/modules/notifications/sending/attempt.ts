/** What came of an attempt to send a message, and whether there is another one. Pure. */
import { retryDelayMs } from '../../../platform/dispatch/index.ts'
import type { MailOutcome } from '../../../platform/mail/mailer.ts'
import { FAILURE_TEXTS, type Outcome, REFUSAL_TEXTS } from '../../../platform/net/post-outcome.ts'
import { retryAfterSeconds } from '../../../platform/net/retry-after.ts'

export type Attempt = {
  /** `refused`: the channel would refuse the same message again. `stopped`: this process shut down. */
  verdict: 'accepted' | 'refused' | 'failed' | 'stopped'
  response_status: number | null
  response_body: string | null
  /** Null when it was accepted. */
  error: string | null
  latency_ms: number
  retry_after_s?: number | undefined
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Delays between the attempts; about nine hours in all. */
const SCHEDULE_MS = [10 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 6 * HOUR] as const
/** Answers of the client class after which the same request may be accepted later. */
const TEMPORARY = new Set([408, 425, 429])
const NO_ANSWER = { response_status: null, response_body: null }

/** @returns null when there is no further attempt */
export function nextDelayMs(attempt: Attempt, attempts: number, random: number): number | null {
  if (attempt.verdict !== 'failed') return null
  const { retry_after_s } = attempt
  return retryDelayMs({ schedule_ms: SCHEDULE_MS, attempts, random, retry_after_s }) ?? null
}

export function attemptOfPost(outcome: Outcome, now: Date): Attempt {
  const { latency_ms } = outcome
  if (outcome.kind === 'refused') {
    const error = `The URL ${REFUSAL_TEXTS[outcome.reason]}`
    return { verdict: 'failed', ...NO_ANSWER, error, latency_ms }
  }
  if (outcome.kind === 'failed') {
    const verdict = outcome.reason === 'stopped' ? 'stopped' : 'failed'
    return { verdict, ...NO_ANSWER, error: FAILURE_TEXTS[outcome.reason], latency_ms }
  }
  const { status, body_start, retry_after } = outcome
  const answer = { response_status: status, response_body: body_start, latency_ms }
  if (status >= 200 && status < 300) return { verdict: 'accepted', ...answer, error: null }
  const isFinal = status >= 300 && status < 500 && !TEMPORARY.has(status)
  return {
    verdict: isFinal ? 'refused' : 'failed',
    ...answer,
    error: `Answered ${status}`,
    retry_after_s: retryAfterSeconds(retry_after, now),
  }
}

export function attemptOfMail(outcome: MailOutcome, latency_ms: number): Attempt {
  switch (outcome.kind) {
    case 'accepted':
      return {
        verdict: 'accepted',
        response_status: 250,
        response_body: outcome.response,
        error: null,
        latency_ms,
      }
    case 'refused':
      return {
        verdict: outcome.is_final ? 'refused' : 'failed',
        response_status: outcome.code,
        response_body: outcome.response,
        error: `The mail server answered ${outcome.code}`,
        latency_ms,
      }
    case 'failed':
      return failed(outcome.reason, latency_ms)
  }
}

export const failed = (error: string, latency_ms = 0): Attempt => ({
  verdict: 'failed',
  ...NO_ANSWER,
  error,
  latency_ms,
})

export const refused = (error: string): Attempt => ({ ...failed(error), verdict: 'refused' })
