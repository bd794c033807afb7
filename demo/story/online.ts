/** Orders of customers in the web shop, and what the service is told of them when they sign up. */
import type { OrderRequest } from '../../src/modules/orders/schema.ts'
import type { Random } from '../../src/platform/random.ts'
import { fillBasket } from './baskets.ts'
import { addressHash, type Customer, placeNear } from './customers.ts'
import type { Span, StoryEvent } from './event.ts'
import { dayText, MINUTE_MS, timeAt } from './wall-clock.ts'

const ORDERS_PER_DAY = 90
const BASKET_SPREAD = 0.45
const NEW_DEVICE_CHANCE = 0.012
const OPEN_HOURS = [6, 23.5] as const

/** @param day midnight in UTC */
export function orderOnline(
  random: Random,
  {
    customers,
    span,
    scale,
    day,
  }: { customers: readonly Customer[]; span: Span; scale: number; day: number },
): StoryEvent[] {
  const present = customers.filter((customer) => joinedAt(customer, span) <= day)
  const count = present.length > 0 ? random.poisson(ORDERS_PER_DAY * scale) : 0
  const [opens, closes] = OPEN_HOURS
  const visits = Array.from({ length: count }, () => {
    const customer = random.weighted(present, ({ weight }) => weight)
    const hour = Math.max(opens, Math.min(closes, customer.usual_hour + random.normal(0, 1.6)))
    return { customer, at: Math.round(timeAt(customer.shop.zone, day, hour)) }
  })
  return visits
    .toSorted((a, b) => a.at - b.at)
    .map(({ customer, at }, index) => {
      const external_order_id = webOrderId(day, index + 1)
      const order = orderOf(random, customer, { at, external_order_id })
      return { at, truth: 'honest', kind: 'order', order }
    })
}

/** As the web shop counts: by the day. */
export const webOrderId = (at: number, number: number): string =>
  `W${dayText(at)}-${String(number).padStart(3, '0')}`

/** When the service hears of a customer for the first time; before the story for most. */
export const joinedAt = ({ joins_at }: Customer, { start, end }: Span): number =>
  joins_at === undefined ? start : Math.round(start + joins_at * (end - start))

/** Those who were customers before are told of in the first hour, the others when they sign up. */
export function signUp(
  random: Random,
  { customers, span }: { customers: readonly Customer[]; span: Span },
): StoryEvent[] {
  return customers.map((customer) => {
    const { id, devices, ip, shop, latitude, longitude, joins_at } = customer
    const isKnown = joins_at === undefined
    return {
      at: isKnown ? span.start + random.integer(0, 50 * MINUTE_MS) : joinedAt(customer, span),
      truth: 'honest',
      kind: 'profile',
      profile: {
        external_id: id,
        profile_type: 'customer',
        ...(devices[0] !== undefined && { fingerprint_hash: devices[0] }),
        ip_hash: addressHash(ip),
        country_code: shop.country_code,
        latitude,
        longitude,
      },
    }
  })
}

export function orderOf(
  random: Random,
  customer: Customer,
  { at, external_order_id }: { at: number; external_order_id: string },
): OrderRequest {
  const { id, shop, devices, ip } = customer
  const isNew = random.chance(NEW_DEVICE_CHANCE)
  const device = isNew ? `${random.pick(devices).slice(0, -4)}0new` : random.pick(devices)
  return {
    external_order_id,
    external_id: id,
    ...fillBasket(random, customer.basket_cents * random.lognormal(BASKET_SPREAD)),
    currency: shop.currency,
    order_type: 'online',
    payment_method: random.chance(0.93) ? customer.pays_online : 'card',
    ...(customer.shares_place && placed(random, customer)),
    location_country: shop.country,
    location_city: shop.city,
    fingerprint_hash: device,
    ip_hash: addressHash(ip),
    ordered_at: new Date(at).toISOString(),
  }
}

function placed(
  random: Random,
  home: Customer,
): Pick<OrderRequest, 'location_latitude' | 'location_longitude'> {
  const { latitude, longitude } = placeNear(random, home, 1.5)
  return { location_latitude: latitude, location_longitude: longitude }
}
