/** One online order of a customer at a time: from where, with which device, over which network. */
import type { Random } from '../../../src/platform/random.ts'
import { fillBasket } from './baskets.ts'
import { isGiftSeason, localHour } from './calendar.ts'
import {
  type CleanKind,
  DAY_MS,
  FIRST_DAY_MS,
  HOUR_MS,
  MINUTE_MS,
  orderFacts,
  type ShopOrder,
} from './order.ts'
import { type Customer, type Device, type Payment } from './people.ts'
import { FAR_CITIES, HOME_CITIES, near } from './places.ts'
import { type Trip, tripAt } from './trips.ts'

/** Addresses of mobile networks are shared by thousands; a shop sees these few of them. */
const MOBILE_ADDRESSES_PER_COUNTRY = 40
const VPN_ADDRESSES = 12

const OTHER_PAYMENT_SHARE = 0.06
const GUEST_SHARE = 0.12
const FORGOT_SOMETHING_SHARE = 0.04
const WRONG_PLACE_SHARE = 0.03

/** The order, and what was forgotten in it soon after. Empty while the customer is on the way. */
export function shopOnline(random: Random, customer: Customer, at_ms: number): ShopOrder[] {
  const orders: ShopOrder[] = []
  let [next_ms, isMore] = [at_ms, true]
  while (isMore) {
    const trip = tripAt(customer.trips, next_ms)
    if (trip === undefined) return orders
    orders.push(onlineOrder(random, customer, { at_ms: next_ms, trip }))
    next_ms += Math.floor(random.between(3, 40) * MINUTE_MS)
    isMore = random.chance(moreShare(customer, orders.length))
  }
  return orders
}

/** Businesses order by cost centre, one after the other. */
function moreShare({ is_business }: Customer, so_far: number): number {
  if (is_business) return so_far < 5 ? 0.45 : 0
  return so_far === 1 ? FORGOT_SOMETHING_SHARE : 0.25
}

function onlineOrder(
  random: Random,
  customer: Customer,
  { at_ms, trip }: { at_ms: number; trip: Trip | 'home' },
): ShopOrder {
  const day = (at_ms - FIRST_DAY_MS) / DAY_MS
  const city = trip === 'home' ? customer.city : trip.city
  const isGuest = !customer.is_business && random.chance(GUEST_SHARE)
  const gift = isGiftSeason(day) ? 1.25 : 1
  const isSwitched = random.chance(OTHER_PAYMENT_SHARE)
  return {
    arrives_ms: at_ms,
    truth: { is_fraud: false, kind: kindOf(customer, isGuest, trip) },
    facts: orderFacts({
      ...fillBasket(random, customer, gift),
      ...placeOf(random, customer, trip),
      profile_id: isGuest ? undefined : customer.profile_id,
      order_type: random.chance(0.03) ? 'phone' : 'online',
      payment_method: isSwitched
        ? random.pick<Payment>(['card', 'mobile', 'other'])
        : customer.pays_online,
      fingerprint_hash: fingerprintOf(random, customer, { at_ms, isAway: trip !== 'home' }),
      ip_hash: addressOf(random, customer, { day, trip }),
      ordered_at_ms: at_ms,
      local_hour: localHour(at_ms, city.utc_offset),
    }),
  }
}

function kindOf({ is_business }: Customer, isGuest: boolean, trip: Trip | 'home'): CleanKind {
  if (isGuest) return 'guest'
  if (is_business) return 'business'
  return trip === 'home' ? 'at_home' : 'travelling'
}

type Place = { latitude?: number; longitude?: number; country?: string }

function placeOf(random: Random, customer: Customer, trip: Trip | 'home'): Place {
  if (customer.uses_vpn) return { country: random.pick([...HOME_CITIES, ...FAR_CITIES]).country }
  const here = trip === 'home' ? { city: customer.city, position: customer.home } : trip
  if (!customer.shares_location) return random.chance(0.9) ? { country: here.city.country } : {}
  if (random.chance(WRONG_PLACE_SHARE)) {
    // A position guessed from the network: another city of the same country, now and then anywhere.
    const guesses = HOME_CITIES.filter(({ country }) => country === here.city.country)
    const guess = random.chance(0.85)
      ? random.pick([here.city, ...guesses])
      : random.pick(FAR_CITIES)
    return { latitude: guess.latitude, longitude: guess.longitude, country: guess.country }
  }
  return { ...near(random, here.position, 1), country: here.city.country }
}

export function devicesOn(customer: Customer, day: number): Device[] {
  return customer.devices.filter(({ from_day, until_day }) => day >= from_day && day < until_day)
}

/** The first device is the telephone: it comes along, and at home it is used most. */
function fingerprintOf(
  random: Random,
  customer: Customer,
  { at_ms, isAway }: { at_ms: number; isAway: boolean },
): string {
  if (customer.is_private || random.chance(0.01)) return `fresh-${customer.index}-${at_ms}`
  const [first, ...others] = devicesOn(customer, (at_ms - FIRST_DAY_MS) / DAY_MS)
  const isFirst = others.length === 0 || random.chance(isAway ? 0.85 : 0.55)
  const device = isFirst ? first : random.pick(others)
  return device?.fingerprint ?? `fresh-${customer.index}-${at_ms}`
}

function addressOf(
  random: Random,
  customer: Customer,
  { day, trip }: { day: number; trip: Trip | 'home' },
): string {
  if (customer.uses_vpn) return `vpn-${random.integer(1, VPN_ADDRESSES)}`
  // Abroad, too, a mobile line comes out at home.
  const mobile = `mobile-${customer.city.country}-${random.integer(1, MOBILE_ADDRESSES_PER_COUNTRY)}`
  if (!customer.is_business && random.chance(0.35)) return mobile
  if (trip === 'home')
    return `home-${customer.household}-${Math.floor(day / customer.address_days)}`
  return `hotel-${customer.household}-${trip.leaves_ms}`
}

/** A standing order is sent by the shop's own night run: nobody sits at a device. */
export function deliverSubscription(random: Random, customer: Customer, days: number): ShopOrder[] {
  const every = customer.subscription_days
  if (every === undefined) return []
  const amount_cents = Math.round(customer.basket_cents / 10) * 10
  const first = Math.ceil(customer.joined_day + random.between(0, every))
  return Array.from({ length: Math.max(0, Math.ceil((days - first) / every)) }, (_, index) => {
    const at_ms =
      FIRST_DAY_MS + (first + index * every) * DAY_MS + 2 * HOUR_MS + random.integer(0, HOUR_MS)
    return {
      arrives_ms: at_ms,
      truth: { is_fraud: false, kind: 'subscription' },
      facts: orderFacts({
        profile_id: customer.profile_id,
        amount_cents,
        item_count: 1,
        order_type: 'other',
        payment_method: customer.pays_online,
        country: customer.city.country,
        ordered_at_ms: at_ms,
        local_hour: localHour(at_ms, customer.city.utc_offset),
      }),
    }
  })
}
