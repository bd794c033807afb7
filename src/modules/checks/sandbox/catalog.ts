/** The content of `GET /check/sandbox`: every value with its outcome, and complete examples (OP-3). */
import { AppError } from '../../../platform/http/errors.ts'
import { conclude } from '../result.ts'
import type { CheckRequest, CheckResult, SandboxCatalog } from '../schema.ts'
import { findSandboxOutcome } from './outcomes.ts'
import { EVENT_TYPES, SANDBOX_EMAILS, SANDBOX_PHONES } from './values.ts'

/** Placeholder in the examples; every real check has a different id. */
const EXAMPLE_CHECK_ID = '00000000-0000-7000-8000-000000000000'

const EXAMPLES: Record<string, CheckRequest> = {
  clean_email: { email: 'clean@example.com', event_type: 'signup' },
  disposable_email: { email: 'disposable@example.com', event_type: 'signup' },
  new_domain: { email: 'new-domain@example.com' },
  velocity: { email: 'velocity@example.com', event_type: 'login' },
  recent_sim_swap: { phone: '+12025550104' },
  recent_sim_swap_at_transfer: { phone: '+12025550104', event_type: 'transfer' },
  email_and_phone: {
    email: 'clean@example.com',
    phone: '+12025550102',
    device: { fingerprint_hash: 'f1a9' },
    event_type: 'checkout',
  },
}

export function sandboxCatalog(now: Date): SandboxCatalog {
  return {
    phone_numbers: SANDBOX_PHONES.map(({ phone, description }) => ({
      phone,
      description,
      ...riskOf({ phone }, now),
    })),
    emails: SANDBOX_EMAILS.map(({ email, description }) => ({
      email,
      description,
      ...riskOf({ email }, now),
    })),
    event_types: EVENT_TYPES,
    examples: Object.fromEntries(
      Object.entries(EXAMPLES).map(([name, request]) => [
        name,
        { request, response: answerTo(request, now) },
      ]),
    ),
  }
}

function answerTo(request: CheckRequest, now: Date) {
  return { success: true, message: 'Check completed', content: resultOf(request, now) }
}

function riskOf(request: CheckRequest, now: Date) {
  try {
    const { risk_score, risk_level } = resultOf(request, now)
    return { risk_score, risk_level }
  } catch (error) {
    // Values that simulate failures have no risk.
    if (error instanceof AppError) return { risk_score: null, risk_level: null }
    throw error
  }
}

function resultOf(request: CheckRequest, now: Date): CheckResult {
  const findings = findSandboxOutcome(request, now)
  if (!findings) throw new Error('a sandbox example uses a value that is not in the sandbox')
  const head = {
    check_id: EXAMPLE_CHECK_ID,
    email: request.email,
    credits_used: 0,
    is_sandbox: true,
  }
  return conclude(head, findings, [], 0).result
}
