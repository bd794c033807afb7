/**
 * Assesses suspicious patterns: the shared reputation, changes of the payment method, and items
 * that do not match the total. The outcomes of the organization's own reviews are in
 * outcome-signal.ts.
 */
import {
  type AmountContext,
  type Assessment,
  assessed,
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
  { at_ms, amount }: { at_ms: number; amount: StrangerAmount },
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
  consider(assessFirstPayment(facts, states, amount))
  if (facts.items.length > 0) {
    consider(assessTotal(facts, parameters))
    consider(assessQuantity(payments, facts, parameters))
  }
  return worst
}

/** The kind of customer, and how far the amount lies above the usual one of the organization. */
type StrangerAmount = { who: AmountContext['who']; z: number | undefined }

const FIRST_CRYPTO_SCORE = 35
const LARGE_Z = 1

/** Payments that cannot be taken back attract fraudsters, who need accounts without a history. */
function assessFirstPayment(
  { payment_method }: OrderFacts,
  { profile }: OrderStates,
  { who, z }: StrangerAmount,
): Assessment {
  if (payment_method !== 'crypto' || who === 'settled' || (z ?? 0) < LARGE_Z) return QUIET
  if ((profile?.payments.used_minute.crypto ?? 0) > 0) return QUIET
  return assessed(FIRST_CRYPTO_SCORE, 'first_order_by_crypto', { method: payment_method })
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
