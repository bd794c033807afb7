/** The facts of an order that custom rules read. Pure. */
import { DAY_MS } from '../../../platform/time-units.ts'
import {
  type Assessment,
  isNewDevice,
  type MomentsState,
  shortHash,
  type VelocityState,
} from '../../behavior/index.ts'
import { listFacts, type RuleFacts, ruleFacts } from '../../custom-rules/index.ts'
import { riskOf } from '../../profiles/index.ts'
import { recordOf, scoreOf } from '../../risk/index.ts'
import type { OrderFacts } from './facts.ts'
import { ORDER_SIGNALS, type OrderSignal } from './signals.ts'
import type { OrderStates } from './states.ts'
import type { Velocities } from './velocity-signal.ts'

export type RuleSubject = {
  facts: OrderFacts
  /** Before the order is learned. */
  states: OrderStates
  velocities: Velocities
  /** Usual amounts of the profile in the currency of the order. */
  own: MomentsState | undefined
  found: Readonly<Record<OrderSignal, Assessment>>
  probability: number
  at_ms: number
}

/** @param wanted groups of facts that the rules read */
export function orderRuleFacts(subject: RuleSubject, wanted: ReadonlySet<string>): RuleFacts {
  const { facts, states, velocities, found, probability } = subject
  const { device, ip, terminal } = states
  const sources = {
    order: () => sentFacts(facts),
    profile: () => profileFacts(subject),
    device: () => ({
      is_known: device !== undefined,
      profiles: device?.users.count ?? 0,
      reputation: facts.reputation.device,
      check_score: facts.check_risk,
      ...countsOf(velocities.device),
    }),
    ip: () => ({
      is_known: ip !== undefined,
      profiles: ip?.users.count ?? 0,
      reputation: facts.reputation.ip,
      ...countsOf(velocities.ip),
    }),
    terminal: () => ({ is_known: terminal !== undefined, ...countsOf(velocities.terminal) }),
    signals: () => ({
      ...recordOf(ORDER_SIGNALS, (signal) => found[signal].score),
      score: scoreOf(probability, 0),
    }),
    lists: () => listFacts(facts.lists),
  }
  return ruleFacts('order', sources, wanted)
}

function sentFacts(facts: OrderFacts) {
  const { items } = facts
  return {
    amount_cents: facts.amount_cents,
    currency: facts.currency,
    type: facts.order_type ?? '',
    payment_method: facts.payment_method ?? '',
    item_count: facts.item_count ?? 0,
    quantity: items.reduce((sum, { quantity }) => sum + quantity, 0),
    discount_cents: items.reduce((sum, { discount_cents }) => sum + discount_cents, 0),
    items: items.map(({ category = '', discount_type = '', ...item }) => ({
      ...item,
      category,
      discount_type,
    })),
    country: facts.country ?? '',
    is_outside_country: facts.is_outside_country,
    store: facts.location_name ?? '',
    terminal: facts.edge_device_id ?? '',
    cashier: facts.cashier_external_id ?? '',
    is_guest: facts.profile_id === undefined,
    hour: facts.local_hour,
  }
}

function profileFacts({ facts, states: { profile }, velocities, own, at_ms }: RuleSubject) {
  const { fingerprint_hash } = facts
  const counts = countsOf(velocities.profile)
  const last_week = velocities.profile?.counts[3] ?? 0
  if (profile === undefined) return { ...UNKNOWN_PROFILE, ...counts, last_week }
  return {
    is_known: true,
    orders: profile.total_orders,
    age_days: Math.max(0, Math.floor((at_ms - profile.first_seen_at) / DAY_MS)),
    devices: profile.devices.count,
    is_new_device:
      fingerprint_hash !== undefined &&
      isNewDevice(profile.devices, shortHash(fingerprint_hash), at_ms),
    risk_score: riskOf(profile, at_ms).risk_score,
    countries: profile.places.countries.map(([country]) => country),
    // Moments are those of the square root.
    usual_amount_cents: own === undefined ? 0 : own.mean * own.mean,
    ...counts,
    last_week,
  }
}

const UNKNOWN_PROFILE = {
  is_known: false,
  orders: 0,
  age_days: 0,
  devices: 0,
  is_new_device: false,
  risk_score: 0,
  countries: [],
  usual_amount_cents: 0,
}

const countsOf = (velocity: VelocityState | undefined) => ({
  last_hour: velocity?.counts[1] ?? 0,
  last_day: velocity?.counts[2] ?? 0,
})
