/**
 * Customers: people with a home, a rhythm, devices, ways to pay and sometimes a household, and
 * businesses. The numbers are judgment about a mid-size retailer and were set down before any scoring
 * was run.
 */
import type { Random } from '../src/platform/random.ts'
import type { Habit } from './goods.ts'
import { type City, near } from './places.ts'
import type { Rhythm } from './rhythms.ts'
import { DAY_MS, isWithin, type Span } from './time.ts'
import { planTrips, type Trip, type Whereabouts } from './trips.ts'

export type Payment = 'card' | 'cash' | 'mobile' | 'crypto' | 'other'

/** A device is in use during a span. */
export type Device = Span & { name: string }

export type Customer = Whereabouts &
  Required<Habit> & {
    id: string
    index: number
    rhythm: Rhythm
    /** The members of a household share a home and a network line. */
    household: number
    joined: number
    orders_per_day: number
    /** Share of the orders that are placed in the store of the city, if it has one. */
    store_share: number
    pays_online: Payment
    pays_in_store: Payment
    /** The first one is the telephone. */
    devices: readonly Device[]
    shares_location: boolean
    /** Uses a browser that looks new every time. */
    is_private: boolean
    uses_vpn: boolean
    /** Days after which the line at home gets a new address. */
    address_days: number
    /** A standing order: the day of the first delivery, and the days between deliveries. */
    subscription: { first: number; days: number } | undefined
    trips: readonly Trip[]
  }

export type Population = {
  count: number
  homes: readonly City[]
  start: number
  /** New customers join during these days. */
  days: number
}

const HOUSEHOLD_SHARE = 0.25
const BUSINESS_SHARE = 0.02
const JOINED_BEFORE_SHARE = 0.6
const DEVICE_LIFE_DAYS = 700
/** Trips and replacements of devices are planned this far ahead, beyond the end of every simulation. */
const HORIZON_DAYS = 500
const FIRST_NUMBER = 10_001

export function makeCustomers(random: Random, population: Population): Customer[] {
  const customers: Customer[] = []
  for (let index = 0; index < population.count; index += 1) {
    customers.push(makeCustomer(random.fork(`${index}`), population, index, customers.at(-1)))
  }
  return customers
}

function makeCustomer(
  random: Random,
  { homes, start, days }: Population,
  index: number,
  previous: Customer | undefined,
): Customer {
  const isBusiness = random.chance(BUSINESS_SHARE)
  const isPartner = !isBusiness && previous?.is_business === false && random.chance(HOUSEHOLD_SHARE)
  const partner = isPartner ? previous : undefined
  const city = partner?.city ?? random.weighted(homes, ({ weight }) => weight)
  const position = partner?.position ?? near(random, city, 7)
  const count = isBusiness ? random.integer(2, 6) : 1 + Math.min(2, random.poisson(0.7))
  const own = makeDevices(random, `device-${index}`, { count, start })
  const joined = random.chance(JOINED_BEFORE_SHARE) ? 0 : random.between(0, days)
  const person: Customer = {
    id: `C-${FIRST_NUMBER + index}`,
    index,
    is_business: false,
    rhythm: choose(random, { office: 50, early: 20, late: 18, shifts: 12 }),
    city,
    position,
    household: partner?.household ?? index,
    joined: start + Math.round(joined * DAY_MS),
    orders_per_day: Math.min(0.8, 0.04 * random.lognormal(0.9)),
    basket_cents: 4_500 * random.lognormal(0.6),
    spread: random.between(0.4, 0.7),
    store_share: random.between(0, 0.7),
    pays_online: choose(random, { card: 62, mobile: 25, other: 11, crypto: 2 }),
    pays_in_store: choose(random, { card: 60, cash: 25, mobile: 15 }),
    // The tablet on the sofa is used by the whole household.
    devices: partner ? [...own, ...partner.devices.slice(-1)] : own,
    shares_location: random.chance(0.6),
    is_private: random.chance(0.03),
    uses_vpn: random.chance(0.02),
    address_days: random.chance(0.5) ? 365 : random.between(1, 40),
    subscription: random.chance(0.05) ? subscribe(random, start, joined) : undefined,
    trips: planTrips(random, { city, position }, { start, end: start + HORIZON_DAYS * DAY_MS }),
  }
  return isBusiness ? { ...person, ...businessHabits(random) } : person
}

const businessHabits = (random: Random) => ({
  is_business: true,
  rhythm: 'business' as const,
  orders_per_day: 0.15 * random.lognormal(0.5),
  basket_cents: 60_000 * random.lognormal(0.5),
  spread: 0.9,
  store_share: 0,
  pays_online: random.chance(0.8) ? ('other' as const) : ('card' as const),
  shares_location: random.chance(0.3),
  is_private: false,
  uses_vpn: random.chance(0.1),
  address_days: 365,
  subscription: undefined,
  trips: [],
})

/** A new device takes the place of one that is replaced. */
function makeDevices(
  random: Random,
  name: string,
  { count, start }: { count: number; start: number },
): Device[] {
  return Array.from({ length: count }, (_, slot) => {
    const line: Device[] = []
    let end = start
    while (end < start + HORIZON_DAYS * DAY_MS) {
      const lasts = random.exponential(DEVICE_LIFE_DAYS) * DAY_MS
      line.push({ name: `${name}-${slot}-${line.length}`, start: end, end: end + lasts })
      end += lasts
    }
    return line
  }).flat()
}

export const devicesAt = ({ devices }: Customer, at: number): Device[] =>
  devices.filter((device) => isWithin(device, at))

function subscribe(random: Random, start: number, joined: number): Customer['subscription'] {
  const days = random.pick([7, 14, 28])
  return { first: start + Math.ceil(joined + random.between(0, days)) * DAY_MS, days }
}

/** Draws one of the keys by its weight. */
export const choose = <K extends string>(random: Random, weights: Readonly<Record<K, number>>): K =>
  random.weighted(Object.keys(weights) as K[], (key) => weights[key])
