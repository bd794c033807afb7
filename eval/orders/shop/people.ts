/**
 * Who shops: people with a home, a rhythm, devices, habits of paying, sometimes a household; and
 * businesses. All numbers are judgement about a mid-size shop for electronics and household goods, set
 * down before any scoring was run.
 */
import type { Random } from '../../../src/platform/random.ts'
import type { Rhythm } from './calendar.ts'
import { uuidOf } from './order.ts'
import { type City, HOME_CITIES, near, type Position } from './places.ts'
import { planTrips, type Trip } from './trips.ts'

export type Payment = 'card' | 'cash' | 'mobile' | 'crypto' | 'other'

export type Customer = {
  index: number
  profile_id: string
  is_business: boolean
  rhythm: Rhythm
  city: City
  home: Position
  /** Shared by a household; also the name of its connection. */
  household: number
  joined_day: number
  orders_per_day: number
  basket_cents: number
  /** Deviation of the logarithm of the amount. */
  spread: number
  /** Share of orders in a store, where the city has one. */
  store_share: number
  pays_online: Payment
  pays_in_store: Payment
  devices: Device[]
  /** Lets the shop know where the device is. */
  shares_location: boolean
  /** A browser that looks new every time. */
  is_private: boolean
  uses_vpn: boolean
  /** The line at home gets a new address every so many days. */
  address_days: number
  /** Days between deliveries of a standing order. */
  subscription_days: number | undefined
  trips: Trip[]
}

export type Device = { fingerprint: string; from_day: number; until_day: number }

const HOUSEHOLD_SHARE = 0.25
const BUSINESS_SHARE = 0.02
const DEVICE_LIFE_DAYS = 700
const JOINED_BEFORE_SHARE = 0.6

export function makeCustomers(random: Random, count: number, days: number): Customer[] {
  const customers: Customer[] = []
  for (let index = 0; index < count; index += 1) {
    const is_business = random.chance(BUSINESS_SHARE)
    const partner = customers.at(-1)
    const withPartner =
      partner !== undefined && !partner.is_business && random.chance(HOUSEHOLD_SHARE)
    if (is_business) customers.push(makeBusiness(random, index, days))
    else customers.push(makePerson(random, index, days, withPartner ? partner : undefined))
  }
  return customers
}

function makePerson(
  random: Random,
  index: number,
  days: number,
  partner: Customer | undefined,
): Customer {
  const city = partner?.city ?? random.weighted(HOME_CITIES, ({ weight }) => weight)
  const home = partner?.home ?? near(random, city, 7)
  const own = makeDevices(random, `d${index}`, 1 + Math.min(2, random.poisson(0.7)), days)
  return {
    index,
    profile_id: uuidOf(1, index),
    is_business: false,
    rhythm: random.weighted<Rhythm>(['office', 'early', 'late', 'shifts'], rhythmShare),
    city,
    home,
    household: partner?.household ?? index,
    joined_day: random.chance(JOINED_BEFORE_SHARE) ? 0 : random.between(0, days),
    orders_per_day: Math.min(0.8, 0.04 * random.lognormal(0.9)),
    basket_cents: 4_500 * random.lognormal(0.6),
    spread: random.between(0.4, 0.7),
    store_share: random.between(0, 0.7),
    pays_online: random.weighted<Payment>(['card', 'mobile', 'other', 'crypto'], onlineShare),
    pays_in_store: random.weighted<Payment>(['card', 'cash', 'mobile'], storeShare),
    // The tablet on the sofa is everybody's.
    devices: partner ? [...own, ...partner.devices.slice(-1)] : own,
    shares_location: random.chance(0.6),
    is_private: random.chance(0.03),
    uses_vpn: random.chance(0.02),
    address_days: random.chance(0.5) ? 365 : random.between(1, 40),
    subscription_days: random.chance(0.05) ? random.pick([7, 14, 28]) : undefined,
    trips: planTrips(random, { city, position: home }, days),
  }
}

function makeBusiness(random: Random, index: number, days: number): Customer {
  const city = random.weighted(HOME_CITIES, ({ weight }) => weight)
  return {
    index,
    profile_id: uuidOf(1, index),
    is_business: true,
    rhythm: 'office',
    city,
    home: near(random, city, 7),
    household: index,
    joined_day: random.chance(JOINED_BEFORE_SHARE) ? 0 : random.between(0, days),
    orders_per_day: 0.15 * random.lognormal(0.5),
    basket_cents: 60_000 * random.lognormal(0.5),
    spread: 0.9,
    store_share: 0,
    pays_online: random.chance(0.8) ? 'other' : 'card',
    pays_in_store: 'card',
    devices: makeDevices(random, `d${index}`, random.integer(2, 6), days),
    shares_location: random.chance(0.3),
    is_private: false,
    uses_vpn: random.chance(0.1),
    address_days: 365,
    subscription_days: undefined,
    trips: [],
  }
}

/** Each place for a device is filled again when the device is replaced. */
function makeDevices(random: Random, name: string, count: number, days: number): Device[] {
  return Array.from({ length: count }, (_, slot) => {
    const line: Device[] = []
    let from_day = 0
    while (from_day < days) {
      const until_day = from_day + random.exponential(DEVICE_LIFE_DAYS)
      line.push({ fingerprint: `${name}-${slot}-${line.length}`, from_day, until_day })
      from_day = until_day
    }
    return line
  }).flat()
}

function rhythmShare(rhythm: Rhythm): number {
  return { office: 50, early: 20, late: 18, shifts: 12 }[rhythm]
}

function onlineShare(payment: Payment): number {
  return { card: 62, mobile: 25, other: 11, crypto: 2, cash: 0 }[payment]
}

function storeShare(payment: Payment): number {
  return { card: 60, cash: 25, mobile: 15, crypto: 0, other: 0 }[payment]
}
