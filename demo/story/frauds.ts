/**
 * Three kinds of fraud in the web shop: accounts that are taken over, cards that are tried out, and
 * groups of new customers who all sit at the same two devices.
 */
import type { OrderRequest } from '../../src/modules/orders/schema.ts'
import type { Random } from '../../src/platform/random.ts'
import { fillBasket } from './baskets.ts'
import { addressHash, type Customer, deviceOf, placeNear } from './customers.ts'
import type { Span, StoryEvent } from './event.ts'
import { DISPOSABLE_DOMAINS, YOUNG_DOMAIN } from './names.ts'
import { webOrderId } from './online.ts'
import { SHOPS } from './shops.ts'
import { DAY_MS } from './wall-clock.ts'

const HOUR_MS = 3_600_000

/** When they begin, as the share of the month that has passed. The last of each is still open today. */
const PLAN = {
  takeovers: [0.36, 0.47, 0.55, 0.63, 0.72, 0.8, 0.88, 0.94, 0.985, 0.994],
  card_tests: [0.31, 0.58, 0.83, 0.991],
  shared_devices: [0.42, 0.7, 0.955],
} as const

/** Of the first so many kinds at least one happens, however short the story. */
const SHORT_DAYS = 10
const LEAST_ORDERS = 3

const FAR = [
  { city: 'Toronto', country: 'Canada', latitude: 43.6532, longitude: -79.3832 },
  { city: 'Singapore', country: 'Singapore', latitude: 1.3521, longitude: 103.8198 },
  { city: 'Auckland', country: 'New Zealand', latitude: -36.8509, longitude: 174.7645 },
  { city: 'Lisbon', country: 'Portugal', latitude: 38.7223, longitude: -9.1393 },
] as const

export type FraudOptions = {
  customers: readonly Customer[]
  /** Honest orders in the web shop, by time. */
  orders: readonly StoryEvent[]
  span: Span
}

export function defraud(random: Random, options: FraudOptions): StoryEvent[] {
  const { span } = options
  const at = (share: number) => Math.round(span.start + share * (span.end - span.start))
  const isShort = span.end - span.start < SHORT_DAYS * 24 * HOUR_MS
  const some = <T>(plan: readonly T[]): readonly T[] => (isShort ? plan.slice(-2) : plan)
  return [
    ...takeOvers(random.fork('takeover'), options, some(PLAN.takeovers).map(at)),
    ...some(PLAN.card_tests).flatMap((share, index) =>
      tryCards(random.fork(`cards ${index}`), index, at(share)),
    ),
    ...some(PLAN.shared_devices).flatMap((share, index) =>
      shareDevices(random.fork(`shared ${index}`), index, at(share)),
    ),
  ]
}

/** Two or three large orders within hours, from a new device far away, paid another way. */
function takeOvers(
  random: Random,
  { customers, orders }: FraudOptions,
  times: number[],
): StoryEvent[] {
  const taken = new Set<string>()
  return times.flatMap((begin, index) => {
    const victim = victimAt(random, { customers, orders, begin, taken })
    if (!victim) return []
    taken.add(victim.id)
    const far = FAR[index % FAR.length] ?? FAR[0]
    const device = deviceOf(`takeover ${index}`)
    const ip = `203.0.113.${20 + index}`
    const count = random.integer(2, 3)
    return Array.from({ length: count }, (_, order) => {
      const at = begin + Math.round((order + random.uniform() * 0.6) * 0.7 * HOUR_MS)
      const { latitude, longitude } = placeNear(random, far, 4)
      return fraud('takeover', at, {
        external_order_id: webOrderId(at, 300 + index * 10 + order),
        external_id: victim.id,
        ...fillBasket(random, victim.basket_cents * random.between(3.5, 6)),
        currency: victim.shop.currency,
        payment_method: victim.pays_online === 'mobile' ? 'card' : 'mobile',
        location_latitude: latitude,
        location_longitude: longitude,
        location_country: far.country,
        location_city: far.city,
        fingerprint_hash: device,
        ip_hash: addressHash(ip),
      })
    })
  })
}

/** Somebody of whom enough is known: the more orders, the more is at stake. */
function victimAt(
  random: Random,
  {
    customers,
    orders,
    begin,
    taken,
  }: Omit<FraudOptions, 'span'> & { begin: number; taken: Set<string> },
): Customer | undefined {
  const counts = new Map<string, number>()
  for (const event of orders) {
    const id = event.kind === 'order' && event.at < begin ? event.order.external_id : undefined
    if (id !== undefined && !taken.has(id)) counts.set(id, (counts.get(id) ?? 0) + 1)
  }
  const known = [...counts].toSorted((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  const enough = known.filter(([, count]) => count >= LEAST_ORDERS)
  const candidates = (enough.length > 0 ? enough : known).slice(0, 12)
  if (candidates.length === 0) return undefined
  const [id] = random.pick(candidates)
  return customers.find((customer) => customer.id === id)
}

/** Beyond what a day of the story has, and another one each second. */
export const nowNumber = (at: number): number => 1000 + Math.floor((at % DAY_MS) / 1000)

/** A single order of an account that was just taken over. */
export function intrude(random: Random, victim: Customer, at: number): StoryEvent[] {
  const far = random.pick(FAR)
  const name = `intruder ${at}`
  return [
    fraud('takeover', at, {
      external_order_id: webOrderId(at, nowNumber(at)),
      external_id: victim.id,
      ...fillBasket(random, victim.basket_cents * random.between(4, 7)),
      currency: victim.shop.currency,
      payment_method: 'other',
      location_latitude: far.latitude,
      location_longitude: far.longitude,
      location_country: far.country,
      location_city: far.city,
      fingerprint_hash: deviceOf(name),
      ip_hash: addressHash(name),
    }),
  ]
}

/** Dozens of tiny payments of guests within an hour or two, one device and one address. */
function tryCards(random: Random, index: number, begin: number): StoryEvent[] {
  const device = deviceOf(`cards ${index}`)
  const shop = random.pick(SHOPS)
  return Array.from({ length: random.integer(26, 34) }, (_, order) => {
    const at = begin + Math.round(order * random.between(1.2, 2.6) * 60_000)
    return fraud('card_testing', at, {
      external_order_id: webOrderId(at, 400 + index * 50 + order),
      amount_cents: random.integer(50, 320),
      item_count: 1,
      currency: shop.currency,
      payment_method: 'card',
      location_country: shop.country,
      fingerprint_hash: device,
      ip_hash: addressHash(`198.51.100.${10 + index}`),
    })
  })
}

/** A dozen new customers within two days, for goods that are sent on: two devices, two addresses. */
function shareDevices(random: Random, index: number, begin: number): StoryEvent[] {
  const shop = random.pick(SHOPS)
  const home = placeNear(random, shop, 15)
  return Array.from({ length: random.integer(11, 14) }, (_, member) => {
    const slot = random.integer(1, 2)
    const who = {
      external_id: `C-${90_000 + index * 100 + member}`,
      fingerprint_hash: deviceOf(`shared ${index} ${slot}`),
      ip_hash: addressHash(`192.0.2.${40 + index * 2 + slot}`),
    }
    const at = begin + Math.round(member * random.between(1, 3) * HOUR_MS)
    const domain = random.pick([...DISPOSABLE_DOMAINS, YOUNG_DOMAIN])
    const place = placeNear(random, home, 0.4)
    const profile: StoryEvent = {
      at,
      truth: 'shared_device',
      kind: 'profile',
      profile: { ...who, profile_type: 'customer', country_code: shop.country_code, ...place },
    }
    const check: StoryEvent = {
      at: at + 1000,
      truth: 'shared_device',
      kind: 'check',
      mode: 'live',
      client_ip: `192.0.2.${40 + index * 2 + slot}`,
      check: {
        email: `parcel.${random.integer(1000, 9999)}@${domain}`,
        device: { fingerprint_hash: who.fingerprint_hash },
        event_type: 'signup',
        event_id: `signup-${who.external_id}`,
      },
    }
    const order = fraud('shared_device', at + random.integer(4, 12) * 60_000, {
      external_order_id: webOrderId(at, 700 + index * 50 + member),
      ...who,
      ...fillBasket(random, 9_000 * random.lognormal(0.4)),
      currency: shop.currency,
      payment_method: random.pick(['card', 'other'] as const),
      location_latitude: place.latitude,
      location_longitude: place.longitude,
      location_country: shop.country,
      location_city: shop.city,
    })
    return [profile, check, order]
  }).flat()
}

const fraud = (truth: StoryEvent['truth'], at: number, order: OrderRequest): StoryEvent => ({
  at,
  truth,
  kind: 'order',
  order: { ...order, order_type: 'online', ordered_at: new Date(at).toISOString() },
})
