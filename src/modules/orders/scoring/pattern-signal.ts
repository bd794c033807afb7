/**
 * Suspicious patterns around an order: what other organisations know of those behind it, how it is
 * paid, and whether it adds up. What the organisation's own reviews say is in outcome-signal.ts.
 */
import {
  type Assessment,
  assessPaymentChange,
  assessPaymentHopping,
  assessQuantity,
  assessTotal,
  type PaymentsParameters,
} from '../../behaviour/index.ts'
import { isNewDevice } from './device-signal.ts'
import type { OrderFacts } from './facts.ts'
import type { OrderStates } from './states.ts'

/** @returns the worst of the patterns with the numbers of all; alerts are told by its name */
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
    if (found.strength === 0) return
    const numbers = { ...worst.numbers, ...found.numbers }
    worst = found.strength > worst.strength ? { ...found, numbers } : { ...worst, numbers }
  }
  if (payments !== undefined && payment_method !== undefined) {
    // Only the first payment by a method asks for it, and it takes a hash.
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

/** An address is shared by strangers, so that its bad name counts less than a device's. */
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

const QUIET: Assessment = { score: 0, strength: 0, finding: null, numbers: {} }
