/** A day in the web shop: the places, devices and network lines that its customers order from. */
import type { Random } from '../src/platform/random.ts'
import type { Chain, Season } from './chain.ts'
import { type Customer, devicesAt, type Payment } from './customers.ts'
import { type CleanKind, type Order, orderOf, type Place, placeIn } from './events.ts'
import { honestBasket } from './goods.ts'
import { ALL_CITIES, FAR_CITIES, HOME_CITIES, near } from './places.ts'
import { hourOf } from './rhythms.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, timeAt, weekdayOf } from './time.ts'
import { type Trip, tripAt } from './trips.ts'

/** Addresses of mobile networks are shared by thousands of people; a shop sees these few of them. */
const MOBILE_ADDRESSES_PER_COUNTRY = 40
const VPN_ADDRESSES = 12

const OTHER_PAYMENT_SHARE = 0.06
const GUEST_SHARE = 0.12
const FORGOT_SOMETHING_SHARE = 0.04
const WRONG_PLACE_SHARE = 0.03
const PHONE_SHARE = 0.03
/** Number of customers for each passing guest of a day */
const CUSTOMERS_PER_GUEST = 400

export function onlineDay(chain: Chain, day: number): Order[] {
  const random = chain.random.fork(`online ${day}`)
  const { customers, stores } = chain
  const season = chain.seasonOf(day)
  const withStore = new Set(stores.map(({ city }) => city.name))
  const orders = customers.flatMap((customer) => {
    const { city, orders_per_day, store_share } = customer
    const share = withStore.has(city.name) ? 1 - store_share : 1
    const rate = orders_per_day * share * season.traffic * weekdayFactor(customer, day)
    const sessions = Array.from({ length: random.poisson(rate) }, () =>
      shopOnline(random, { chain, season, customer }, onlineTime(random, customer, day)),
    )
    return [...sessions.flat(), ...deliverSubscription(random, customer, day)].filter(
      ({ at }) => at >= customer.joined,
    )
  })
  const length = random.poisson(customers.length / CUSTOMERS_PER_GUEST)
  const guests = Array.from({ length }, (_, index) => passingGuest(random, chain, { day, index }))
  return [...orders, ...guests.flat()]
    .toSorted((a, b) => a.at - b.at)
    .map((order, index) => ({ ...order, day, number: index + 1 }))
}

function weekdayFactor({ is_business }: Customer, day: number): number {
  const isWeekend = weekdayOf(day) % 6 === 0
  if (is_business) return isWeekend ? 0.05 : 1.35
  return isWeekend ? 1.2 : 0.95
}

/** The hour is in the local time of the place where the customer is on that day. */
function onlineTime(random: Random, { trips, city, rhythm }: Customer, day: number): number {
  const trip = tripAt(trips, day + DAY_MS / 2)
  const here = trip === undefined || trip === 'home' ? city : trip.city
  return timeAt(here.zone, day, hourOf(random, rhythm))
}

type Shopping = { chain: Chain; season: Season; customer: Customer }

/**
 * An order, and what the customer forgot and orders soon after. Empty while the customer is on the way.
 */
export function shopOnline(random: Random, shopping: Shopping, at: number): Order[] {
  const { customer } = shopping
  const orders: Order[] = []
  let [next, isMore] = [at, true]
  while (isMore) {
    const trip = tripAt(customer.trips, next)
    if (trip === undefined) return orders
    orders.push(onlineOrder(random, shopping, { at: next, trip }))
    next += Math.floor(random.between(3, 40) * MINUTE_MS)
    isMore = random.chance(moreShare(customer, orders.length))
  }
  return orders
}

/** Businesses order by cost center, one after the other. */
function moreShare({ is_business }: Customer, count: number): number {
  if (is_business) return count < 5 ? 0.45 : 0
  return count === 1 ? FORGOT_SOMETHING_SHARE : 0.25
}

type Moment = { at: number; trip: Trip | 'home' }

function onlineOrder(random: Random, { chain, season, customer }: Shopping, moment: Moment): Order {
  const { at, trip } = moment
  const isGuest = !customer.is_business && random.chance(GUEST_SHARE)
  const isSwitched = random.chance(OTHER_PAYMENT_SHARE)
  return orderOf({
    at,
    truth: { is_fraud: false, kind: kindOf(customer, isGuest, trip) },
    ...honestBasket(random, chain.goods, customer, season.baskets),
    ...placeOf(random, customer, trip),
    customer: isGuest ? undefined : customer.id,
    channel: random.chance(PHONE_SHARE) ? 'phone' : 'online',
    payment: isSwitched ? random.pick<Payment>(['card', 'mobile', 'other']) : customer.pays_online,
    device: deviceOf(random, customer, moment),
    address: addressOf(random, customer, moment),
  })
}

function kindOf({ is_business }: Customer, isGuest: boolean, trip: Trip | 'home'): CleanKind {
  if (isGuest) return 'guest'
  if (is_business) return 'business'
  return trip === 'home' ? 'at_home' : 'traveling'
}

function placeOf(random: Random, customer: Customer, trip: Trip | 'home'): Place {
  const { city, position } = trip === 'home' ? customer : trip
  const { zone } = city
  if (customer.uses_vpn) return { zone, country: random.pick(ALL_CITIES).country }
  if (!customer.shares_location) return random.chance(0.9) ? placeIn(city) : { zone }
  if (random.chance(WRONG_PLACE_SHARE)) {
    // A position guessed from the network: another city of the same country, sometimes anywhere.
    const guesses = HOME_CITIES.filter(({ country }) => country === city.country)
    const guess = random.chance(0.85) ? random.pick([city, ...guesses]) : random.pick(FAR_CITIES)
    return { ...placeIn(guess, guess), zone }
  }
  return placeIn(city, near(random, position, 1))
}

/** On trips the telephone is used most; at home it is used more than the other devices. */
function deviceOf(random: Random, customer: Customer, { at, trip }: Moment): string {
  const fresh = `fresh-${customer.index}-${at}`
  if (customer.is_private || random.chance(0.01)) return fresh
  const [first, ...others] = devicesAt(customer, at)
  const isFirst = others.length === 0 || random.chance(trip === 'home' ? 0.55 : 0.85)
  return (isFirst ? first : random.pick(others))?.name ?? fresh
}

function addressOf(random: Random, customer: Customer, { at, trip }: Moment): string {
  if (customer.uses_vpn) return `vpn-${random.integer(1, VPN_ADDRESSES)}`
  // A mobile line uses an address of the home country even abroad.
  const mobile = `mobile-${customer.city.country}-${random.integer(1, MOBILE_ADDRESSES_PER_COUNTRY)}`
  if (!customer.is_business && random.chance(0.35)) return mobile
  if (trip !== 'home') return `hotel-${customer.household}-${trip.leaves}`
  return homeLine(customer, at)
}

export const homeLine = ({ household, address_days }: Customer, at: number): string =>
  `home-${household}-${Math.floor(at / DAY_MS / address_days)}`

/** A standing order is sent by the night run of the shop, so it comes from no device. */
function deliverSubscription(random: Random, customer: Customer, day: number): Order[] {
  const { subscription, id, basket_cents, pays_online, city } = customer
  if (subscription === undefined || day < subscription.first) return []
  if (((day - subscription.first) / DAY_MS) % subscription.days !== 0) return []
  return [
    orderOf({
      at: day + 2 * HOUR_MS + random.integer(0, HOUR_MS),
      truth: { is_fraud: false, kind: 'subscription' },
      amount_cents: Math.round(basket_cents / 10) * 10,
      item_count: 1,
      items: [],
      ...placeIn(city),
      customer: id,
      channel: 'other',
      payment: pays_online,
    }),
  ]
}

/** Someone who buys once and leaves no name: a device and an address that were never seen before. */
function passingGuest(random: Random, chain: Chain, at: { day: number; index: number }): Order[] {
  const { day, index } = at
  const number = (day / DAY_MS) * 1_000 + index
  const guest: Customer = {
    ...random.pick(chain.customers.filter(({ is_business }) => !is_business)),
    index: -number,
    household: -number,
    devices: [{ name: `guest-${number}`, start: 0, end: Infinity }],
  }
  const shopping = { chain, season: chain.seasonOf(day), customer: guest }
  return shopOnline(random, shopping, onlineTime(random, guest, day)).map((order) => ({
    ...order,
    customer: undefined,
    truth: { is_fraud: false, kind: 'guest' },
  }))
}
