/**
 * Assesses how many orders the profile, device and address place in a short time. Behind a terminal
 * or store is a queue of customers, so only bursts of tiny orders count there.
 */
import {
  type AmountContext,
  type Assessment,
  assessTiny,
  assessTinyRate,
  assessVelocity,
  EMPTY_VELOCITY,
  expectAmount,
  learnTinyRate,
  learnVelocity,
  QUIET,
  type TinyRateState,
  type VelocityFact,
  type VelocityState,
} from '../../behavior/index.ts'
import { isCustomer } from '../../profiles/index.ts'
import type { OrderFacts } from './facts.ts'
import { ordersPerDay } from './organization.ts'
import type { OrderParameters } from './parameters.ts'
import type { OrderStates } from './states.ts'

/** Velocities including the order; undefined where there is no key. */
export type Velocities = {
  profile: VelocityState | undefined
  device: VelocityState | undefined
  ip: VelocityState | undefined
  terminal: VelocityState | undefined
  store: VelocityState | undefined
  /** Tiny orders of strangers in the organization; undefined when this order is none */
  tiny_rate: TinyRateState | undefined
}

export function countOrder(
  facts: OrderFacts,
  states: OrderStates,
  fact: VelocityFact,
  who: AmountContext['who'],
): Velocities {
  // A queue at a till buys what it wants.
  const isStranger = facts.edge_device_id === undefined && (who === 'young' || who === 'guest')
  const counted = (key: string | undefined, state: { velocity: VelocityState } | undefined) =>
    key === undefined ? undefined : learnVelocity(state?.velocity ?? EMPTY_VELOCITY, fact)
  return {
    profile: counted(facts.profile_id, states.profile),
    device: counted(facts.fingerprint_hash, states.device),
    ip: counted(facts.ip_hash, states.ip),
    terminal: counted(facts.edge_device_id, states.terminal),
    store: counted(storeKey(facts), states.store),
    tiny_rate:
      fact.is_tiny && isStranger
        ? learnTinyRate(states.organization?.tiny_rate, fact.at_ms)
        : undefined,
  }
}

/** Returns the store of an order that names neither a profile nor a terminal. */
export function storeKey(facts: OrderFacts): string | undefined {
  const isNeeded = facts.profile_id === undefined && facts.edge_device_id === undefined
  return isNeeded ? facts.location_name : undefined
}

/** Fewer orders make no habit; those of a card tester must not excuse the next ones. */
const KNOWN_ORDERS = 5

/** @param unusual how unusual the amount is by itself, 0-1 */
export function velocityFact(
  { amount_cents }: OrderFacts,
  { own, prior, who }: AmountContext,
  { at_ms, unusual }: { at_ms: number; unusual: number },
  { amounts }: OrderParameters,
): VelocityFact {
  // Before it has a history, an account could declare any amount to be its usual one.
  const expected = expectAmount(who === 'young' && prior ? undefined : own, prior)
  // Nothing is spent and no card is tested by returning goods.
  const isReturn = amount_cents < 0
  const spent_cents = Math.max(0, amount_cents)
  return {
    at_ms,
    spent: expected === undefined ? 1 : spent_cents / Math.max(1, expected.mean * expected.mean),
    is_tiny: !isReturn && amount_cents < tinyBelow({ own, prior }, amounts),
    unusual,
  }
}

/** Amount in cents below which an order is tiny; 0 while it is unknown what is usual. */
export function tinyBelow(
  { own, prior }: Pick<AmountContext, 'own' | 'prior'>,
  { tiny_share }: OrderParameters['amounts'],
): number {
  const usual_root = Math.min(
    own !== undefined && own.n >= KNOWN_ORDERS ? own.mean : Number.POSITIVE_INFINITY,
    prior?.mean ?? Number.POSITIVE_INFINITY,
  )
  return usual_root < Number.POSITIVE_INFINITY ? tiny_share * usual_root * usual_root : 0
}

export type Counted = {
  facts: OrderFacts
  /** Velocities including the order */
  velocities: Velocities
  isTiny: boolean
  /** Amount below which orders are tiny, for the explanation */
  below_cents: number
}

/** Several small purchases an hour are normal at a terminal. */
const TERMINAL_PEOPLE = 1.5
/** Guests behind one address who order something tiny within an hour. */
const GUEST_PEOPLE = 1.5

export function assessOrderVelocity(
  { facts, velocities, isTiny, below_cents }: Counted,
  states: OrderStates,
  { velocity }: OrderParameters,
): Assessment {
  const per_day = ordersPerDay(states.organization?.habit, velocity.profile_per_day)
  const { device_people, ip_people, device_score_max, ip_score_max } = velocity
  let worst: Assessment = QUIET
  const consider = (key: string, found: Assessment): void => {
    if (worst === QUIET || found.strength > worst.strength) {
      const below = found.finding === 'many_tiny_orders' && { below_cents: Math.round(below_cents) }
      worst = { ...found, numbers: { ...found.numbers, ...below, key } }
    }
  }
  const of = (people: number, has_floor: boolean, score_max: number) => ({
    per_day: per_day * people,
    people,
    has_floor,
    score_max,
  })
  const isStaff = !isCustomer(states.profile)
  if (velocities.profile) {
    consider('profile', assessVelocity(velocities.profile, of(1, !isStaff, 100), velocity))
    consider('profile', assessTiny(velocities.profile, 1, isTiny))
  }
  // The device and address of a terminal serve the whole queue.
  const isTerminal = facts.edge_device_id !== undefined || isStaff
  if (velocities.device && !isTerminal) {
    const habit = of(device_people, false, device_score_max)
    consider('device', assessVelocity(velocities.device, habit, velocity))
    consider('device', assessTiny(velocities.device, 1, isTiny))
  }
  if (velocities.ip && !isTerminal) {
    consider('ip', assessVelocity(velocities.ip, of(ip_people, false, ip_score_max), velocity))
    // Guests have nothing else to be recognized by.
    const people = facts.profile_id === undefined ? GUEST_PEOPLE : ip_people / 2
    consider('ip', assessTiny(velocities.ip, people, isTiny))
  }
  if (velocities.terminal)
    consider('terminal', assessTiny(velocities.terminal, TERMINAL_PEOPLE, isTiny))
  if (velocities.store) consider('store', assessTiny(velocities.store, TERMINAL_PEOPLE, isTiny))
  if (velocities.tiny_rate) consider('organization', assessTinyRate(velocities.tiny_rate))
  return worst
}
