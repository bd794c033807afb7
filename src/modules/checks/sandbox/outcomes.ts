/** The fixed findings of sandbox values, which are concluded by the same rules as real ones. */

import { serverError, tooManyRequests } from '../../../platform/http/errors.ts'
import { DAY_MS } from '../../../platform/time-units.ts'
import { assessPhone } from '../../phone/index.ts'
import { strengthOf } from '../../risk/index.ts'
import type { Findings } from '../result.ts'
import type { CheckRequest } from '../schema.ts'
import { SANDBOX_EMAILS, SANDBOX_PHONES, type SandboxPhone } from './values.ts'

/**
 * @returns undefined when neither e-mail nor phone is a sandbox value; next to a sandbox value, other
 *   values add nothing (OP-46)
 * @throws AppError for the values that simulate failures
 */
export function findSandboxOutcome(request: CheckRequest, now: Date): Findings | undefined {
  const email = SANDBOX_EMAILS.find((value) => value.email === request.email)
  const phone = SANDBOX_PHONES.find((value) => value.phone === request.phone)
  if (!email && !phone) return undefined
  if (email?.failure === 'server_error') throw serverError()
  if (email?.failure === 'rate_limited') throw tooManyRequests(1)

  const phone_signals = phone && phoneSignalsAt(phone, now)
  const reputation = { score: phone?.reputation_score ?? 0, own: 0, others: 0 }
  const emailEvidence = email?.evidence ?? []
  return {
    email_signals: {
      domain_age_score: strengthOf(emailEvidence, 'domain_age'),
      mx_score: strengthOf(emailEvidence, 'mx'),
      disposable_score: strengthOf(emailEvidence, 'disposable'),
    },
    phone_signals,
    evidence: [
      ...emailEvidence,
      ...(phone_signals
        ? assessPhone(phone_signals, NO_SERVICE, reputation, request.event_type, now)
        : []),
    ],
    hard_floor: email?.hard_floor ?? 0,
  }
}

/** Numbers of the catalog are what their signals say. */
const NO_SERVICE = { is_unassigned: false, service: null }

/** Dates are relative to the current day, so that "two days ago" stays true. */
function phoneSignalsAt({ signals, sim_swap_days_ago, ported_days_ago }: SandboxPhone, now: Date) {
  return {
    ...signals,
    sim_swap_date: dayBefore(sim_swap_days_ago, now),
    ported_date: dayBefore(ported_days_ago, now),
  }
}

function dayBefore(days: number | undefined, now: Date): string | null {
  if (days === undefined) return null
  const day = Math.floor(now.getTime() / DAY_MS) - days
  return new Date(day * DAY_MS).toISOString()
}
