/**
 * Fraud in the story: account takeovers, card testing and device farms. The members of a farm sign up
 * before they order.
 */

import type { Random } from '../../src/platform/random.ts'
import { carryOut, type Strength } from '../../world/attacks.ts'
import type { Order } from '../../world/events.ts'
import { attackChain } from '../../world/simulate.ts'
import { DAY_MS, MINUTE_MS, type Span } from '../../world/time.ts'
import type { Northwind, Shopper } from './chain.ts'
import type { StoryEvent } from './event.ts'
import { DISPOSABLE_DOMAINS, YOUNG_DOMAIN } from './names.ts'
import { addressHash, deviceHash, orderEvent } from './requests.ts'

/**
 * Shares of the month at which the attacks begin. The last attack of each kind is still unreviewed at
 * the end.
 */
const PLAN = {
  account_takeover: [0.36, 0.47, 0.55, 0.63, 0.72, 0.8, 0.88, 0.94, 0.985, 0.994],
  card_testing: [0.31, 0.58, 0.83, 0.991],
  device_farm: [0.42, 0.7, 0.955],
} as const

/** Stronger and shorter than in the evaluation, because the customers have a month of history at most. */
const STRENGTH: Strength = {
  takeover: {
    earlier_orders: 5,
    orders: [2, 3],
    hours: [0.7, 2],
    factor: [3.5, 6],
    hidden_share: 0,
    switched_share: 1,
  },
  farm: { profiles: [11, 14], devices: [2, 2], addresses: [2, 2], days: [1, 1.5] },
  card_tests: ['guests'],
}

/** A shorter story has only the last attacks of each kind. */
const SHORT_DAYS = 10

export function attackStory(
  random: Random,
  { chain, clean, span }: { chain: Northwind; clean: readonly Order[]; span: Span },
): StoryEvent[] {
  const isShort = span.end - span.start < SHORT_DAYS * DAY_MS
  const campaigns = (['account_takeover', 'card_testing', 'device_farm'] as const).flatMap(
    (scenario) =>
      PLAN[scenario].slice(isShort ? -2 : 0).map((share, episode) => ({
        scenario,
        episode,
        at: Math.round(span.start + share * (span.end - span.start)),
      })),
  )
  const orders = attackChain(chain, clean, { campaigns, strength: STRENGTH })
  const farmed = orders.filter(({ truth }) => truth.is_fraud && truth.scenario === 'device_farm')
  const firsts = new Map(farmed.toReversed().map((order) => [order.customer, order]))
  return [
    ...orders.map((order) => orderEvent(chain, order)),
    ...[...firsts.values()].flatMap((order) => signUpOf(random.fork(`${order.customer}`), order)),
  ]
}

/** A member of a device farm signs up minutes before the first order. */
function signUpOf(random: Random, order: Order): StoryEvent[] {
  const at = order.at - random.integer(4, 12) * MINUTE_MS
  const { position, customer = '', device = '', address = '', country } = order
  const fingerprint_hash = deviceHash(device)
  const domain = random.pick([...DISPOSABLE_DOMAINS, YOUNG_DOMAIN])
  return [
    {
      at,
      truth: 'device_farm',
      kind: 'profile',
      profile: {
        external_id: customer,
        profile_type: 'customer',
        fingerprint_hash,
        ip_hash: addressHash(address),
        ...(country !== undefined && { country_code: country }),
        ...position,
      },
    },
    {
      at: at + 1000,
      truth: 'device_farm',
      kind: 'check',
      mode: 'live',
      client_ip: `192.0.2.${random.fork(address).integer(40, 250)}`,
      check: {
        email: `parcel.${random.integer(1000, 9999)}@${domain}`,
        device: { fingerprint_hash },
        event_type: 'signup',
        event_id: `signup-${customer}`,
      },
    },
  ]
}

/** A single order through an account that was just taken over. */
export function intrude(
  random: Random,
  chain: Northwind,
  { customer, at, number }: { customer: Shopper; at: number; number: number },
): StoryEvent[] {
  const victim = () => ({ customer, orders: [] })
  const attack = { ...chain, random, episode: at, at, victim, strength: STRENGTH }
  const [order] = carryOut('account_takeover', attack)
  return order ? [orderEvent(chain, { ...order, number })] : []
}
