/**
 * Turns facts about a phone number into its signals and findings. Unknown facts add no risk (OP-6).
 */

import type { Lookup } from '../../platform/lookup.ts'
import { DAY_MS } from '../../platform/time-units.ts'
import type { Reputation } from '../reputation/index.ts'
import type { Evidence } from '../risk/index.ts'
import type { NumberFacts } from './number.ts'
import type { PortingFact, SimSwapFact } from './providers/provider.ts'
import type { PhoneSignals } from './schema.ts'

export type PhoneFacts = {
  number: NumberFacts
  /** Carrier that the number range was allocated to. */
  allocated_carrier: string | null
  sim_swap: Lookup<SimSwapFact>
  porting: Lookup<PortingFact>
}

/** Events in which control of the number gives control of money. */
const SENSITIVE_EVENTS = ['login', 'withdrawal', 'transfer', 'payment']
const SCORES = {
  invalid: 85,
  /** Numbering tables age, and people make typing errors. */
  unassigned: 55,
  premium_rate: 60,
  toll_free: 40,
  shared_cost: 40,
  sim_swap: 80,
  sim_swap_sensitive: 90,
  voip: 35,
  ported_recently: 40,
}
const PORTED_RECENTLY_DAYS = 7

export function phoneSignalsOf(facts: PhoneFacts): PhoneSignals {
  const swap = facts.sim_swap.known ? facts.sim_swap.value : undefined
  const porting = facts.porting.known ? facts.porting.value : undefined
  return {
    is_valid: facts.number.is_valid,
    // The range has the first carrier, which no longer serves a ported number.
    carrier: porting?.ported === true ? null : facts.allocated_carrier,
    line_type: facts.number.line_type,
    country_code: facts.number.country_code,
    recent_sim_swap: swap?.recent_sim_swap ?? false,
    sim_swap_date: swap?.sim_swap_date ?? null,
    ported: porting?.ported ?? false,
    ported_date: porting?.ported_date ?? null,
  }
}

export function assessPhone(
  signals: PhoneSignals,
  { is_unassigned, service }: Pick<NumberFacts, 'is_unassigned' | 'service'>,
  reputation: Pick<Reputation, 'score' | 'own' | 'others'>,
  eventType: string | undefined,
  now: Date,
): Evidence[] {
  const evidence: Evidence[] = []
  const add = (score: number, finding: string, detail: string) =>
    evidence.push({ signal: 'phone', score, finding, detail })

  if (is_unassigned) {
    const detail = 'The range of the number is not assigned; it can be a typing error or very new.'
    add(SCORES.unassigned, 'unassigned_number', detail)
  } else if (!signals.is_valid) {
    add(SCORES.invalid, 'invalid_number', 'This is not a phone number.')
  }
  if (service !== null) {
    const detail = `The number is a ${service.replace('_', '-')} number, which no person has.`
    add(SCORES[service], `${service}_number`, detail)
  }
  if (signals.recent_sim_swap) {
    const isSensitive = eventType !== undefined && SENSITIVE_EVENTS.includes(eventType)
    const when =
      signals.sim_swap_date === null ? 'within the last 7 days' : `at ${signals.sim_swap_date}`
    add(
      isSensitive ? SCORES.sim_swap_sensitive : SCORES.sim_swap,
      'recent_sim_swap',
      `The SIM was swapped ${when}${isSensitive ? `, which matters for a ${eventType}` : ''}.`,
    )
  }
  if (signals.line_type === 'voip') add(SCORES.voip, 'voip_number', 'The number is a VoIP number.')
  if (signals.ported_date !== null && daysSince(signals.ported_date, now) < PORTED_RECENTLY_DAYS) {
    add(
      SCORES.ported_recently,
      'ported_recently',
      `The number was ported to another carrier at ${signals.ported_date}.`,
    )
  }
  if (reputation.score > 0) {
    const own =
      reputation.own > 0 ? `Own reports weigh ${reputation.own.toFixed(2)}` : 'No own reports'
    const others = `${reputation.others} independent organizations report the number`
    add(reputation.score, 'reported', `${own}; ${others}.`)
  }
  return evidence
}

function daysSince(date: string, now: Date): number {
  return (now.getTime() - new Date(date).getTime()) / DAY_MS
}
