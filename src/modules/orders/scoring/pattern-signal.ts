/**
 * Assesses suspicious patterns: the shared reputation, changes of the payment method, and items
 * that do not match the total. The outcomes of the organization's own reviews are in
 * outcome-signal.ts.
 */
import {
  type Assessment,
  assessPaymentChange,
  assessPaymentHopping,
  assessQuantity,
  assessTotal,
  type PaymentsParameters,
  QUIET,
  stronger,
} from '../../behavior/index.ts'
import { isNewDevice } from './device-signal.ts'
import type { OrderFacts } from './facts.ts'
import type { OrderStates } from './states.ts'

/** @returns the strongest pattern with the numbers of all of them; its finding names the alert */
export function assessPattern(
  facts: OrderFacts,
  states: OrderStates,
  at_ms: number,
  { payments: parameters }: { readonly payments: PaymentsParameters },
): Assessment {
  const { payment_method } = facts
  const payments = states.profile?.payments
  let worst = assessReputation(facts)
  const consider = (found: Assessment): void => {
    worst = stronger(worst, found)
  }
  if (payments !== undefined && payment_method !== undefined) {
    // Looked up only for the first payment by a method, because it computes a hash.
    const isFirst = payments.used_minute[payment_method] === undefined
    const isNew = isFirst && isNewDevice(facts, states, at_ms)
    consider(assessPaymentChange(payments, payment_method, isNew, parameters))
    consider(assessPaymentHopping(payments, payment_method, at_ms))
  }
  if (facts.items.length > 0) {
    consider(assessTotal(facts, parameters))
    consider(assessQuantity(payments, facts, parameters))
  }
  return worst
}

/** Strangers share addresses, so a bad address counts less than a bad device. */
const IP_SCORE_MAX = 60

function assessReputation({ reputation, edge_device_id }: OrderFacts): Assessment {
  const { profile } = reputation
  const isShop = edge_device_id !== undefined
  const device = isShop ? 0 : reputation.device
  const ip = isShop ? 0 : Math.min(IP_SCORE_MAX, reputation.ip)
  const strength = Math.max(profile, device, ip)
  if (strength === 0) return QUIET
  const numbers: Assessment['numbers'] = {}
  if (profile > 0) numbers['profile_reputation'] = profile
  if (device > 0) numbers['device_reputation'] = device
  if (ip > 0) numbers['ip_reputation'] = ip
  return { score: Math.round(strength), strength, finding: 'shared_reputation', numbers }
}
