/**
 * Six kinds of fraud, each with variants. Attackers know some of what a customer does and get some of
 * it wrong, differently each time.
 */
import type { Random } from '../src/platform/random.ts'
import { type Customer, devicesAt, type Payment } from './customers.ts'
import {
  type Order,
  type OrderDetails,
  orderOf,
  placeIn,
  type Scenario,
  type Truth,
} from './events.ts'
import { type Assortment, honestBasket } from './goods.ts'
import { homeLine } from './online.ts'
import { ALL_CITIES, distanceKm, FAR_CITIES, near } from './places.ts'
import { deadHours } from './rhythms.ts'
import type { Store } from './stores.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, startOfDay, timeAt } from './time.ts'

/** A customer who has ordered, and the orders before the attack. */
export type Victim = { customer: Customer; orders: readonly Order[] }

export type Attack = {
  random: Random
  goods: Assortment
  stores: readonly Store[]
  episode: number
  at: number
  /** A customer with at least this number of orders who fits the attack. */
  victim: (least: number, fits?: (victim: Victim) => boolean) => Victim
  strength: Strength
}

type CardTest = 'guests' | 'new_profiles' | 'till'
const range = (least: number, most: number): [number, number] => [least, most]

/** As documented for the evaluation. `factor` multiplies the usual amount of the victim. */
export const USUAL_STRENGTH = {
  takeover: {
    earlier_orders: 3,
    orders: range(1, 4),
    hours: range(1, 48),
    factor: range(2, 5),
    hidden_share: 0.33,
    switched_share: 0.6,
  },
  farm: { profiles: range(8, 25), devices: range(1, 3), addresses: range(1, 4), days: range(1, 5) },
  card_tests: ['guests', 'new_profiles', 'till'] as readonly CardTest[],
}
export type Strength = typeof USUAL_STRENGTH

/** An order without the truth, which follows from the attack. */
type Draft = Omit<OrderDetails, 'truth'>
type Drafts = { variant: string; orders: Draft[] }

const ATTACKS: Readonly<Record<Scenario, (attack: Attack) => Drafts>> = {
  velocity_burst: burst,
  impossible_travel: travelImpossibly,
  device_farm: farmDevices,
  account_takeover: takeOver,
  odd_hours: orderAtOddHours,
  card_testing: testCards,
}

export function carryOut(scenario: Scenario, attack: Attack): Order[] {
  const { variant, orders } = ATTACKS[scenario](attack)
  const truth: Truth = { is_fraud: true, scenario, variant, episode: attack.episode }
  return orders.map((order) => orderOf({ ...order, truth }))
}

/** Profiles of attackers are numbered beyond those of customers. */
const FARM_NUMBER = 90_000
const TESTING_NUMBER = 95_000
const newCustomer = (first: number, episode: number, index: number): string =>
  `C-${first + episode * 100 + index}`

const times = <T>(count: number, create: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => create(index))

/**
 * 6 to 15 orders within 10 to 60 minutes through a known account: by a program on the customer's
 * device, or from a device of the attacker. Amounts as usual, or up to three times as much.
 */
function burst({ random, goods, at, victim, episode }: Attack): Drafts {
  const { customer } = victim(2)
  const isOwn = random.chance(0.5)
  const length = random.between(10, 60) * MINUTE_MS
  const greed = random.pick([1, 1, 1.5, 3])
  const session = homeSession(random, customer, at)
  const device = isOwn ? session.device : `burst-${episode}`
  const orders = times(random.integer(6, 15), () => {
    const goal = customer.basket_cents * random.lognormal(customer.spread) * greed
    const after = Math.floor(random.between(0, length))
    return { ...goods(random, goal), ...session, device, at: at + after }
  })
  return { variant: isOwn ? 'own_device' : 'new_device', orders }
}

/**
 * 2 to 5 orders over one to three nights at hours when people of that rhythm sleep: someone in the
 * house, or a stolen telephone. A little more than usual; a third from a device not seen before.
 */
function orderAtOddHours({ random, goods, at, victim, episode }: Attack): Drafts {
  const { customer } = victim(5, (each) => deadHours(each.customer.rhythm).length > 0)
  const isOwn = random.chance(0.67)
  const hours = deadHours(customer.rhythm)
  const session = homeSession(random, customer, at)
  const device = isOwn ? session.device : `night-${episode}`
  const nights = random.integer(1, 3)
  const orders = times(random.integer(2, 5), () => {
    const day = startOfDay(at) + random.integer(0, nights - 1) * DAY_MS
    const night = timeAt(customer.city.zone, day, random.pick(hours) + random.uniform())
    const basket = honestBasket(random, goods, customer, random.between(1, 2))
    return { ...basket, ...session, device, at: night }
  })
  return { variant: isOwn ? 'own_device' : 'new_device', orders }
}

/** Details of an order that the customer places at home. */
const homeSession = (random: Random, customer: Customer, at: number) => ({
  ...placeIn(
    customer.city,
    customer.shares_location ? near(random, customer.position, 1) : undefined,
  ),
  customer: customer.id,
  payment: customer.pays_online,
  device: devicesAt(customer, at)[0]?.name,
  address: homeLine(customer, at),
})

/**
 * 1 to 3 orders at least 1,500 km away, 20 minutes to 3 hours after an order of the owner whose place
 * is known. A third through a stolen session, which looks like the owner's device.
 */
function travelImpossibly({ random, goods, victim, episode }: Attack): Drafts {
  const isPlaced = ({ orders }: Victim) => orders.at(-1)?.position !== undefined
  const { customer, orders: earlier } = victim(3, isPlaced)
  const isStolen = random.chance(0.33)
  const last = earlier.at(-1)
  const here = last?.position ?? customer.position
  const city = random.pick(FAR_CITIES.filter((each) => distanceKm(here, each) > 1_500))
  let at = last?.at ?? 0
  const orders = times(last ? random.integer(1, 3) : 0, (index) => {
    const hours = index === 0 ? random.between(0.33, 3) : random.between(0.05, 0.5)
    at += Math.floor(hours * HOUR_MS)
    const goal = customer.basket_cents * random.lognormal(customer.spread) * random.between(1, 2)
    return {
      ...homeSession(random, customer, at),
      ...goods(random, goal),
      ...placeIn(city, near(random, city, 5)),
      ...(!isStolen && { device: `far-${episode}` }),
      address: `far-line-${episode}`,
      at,
    }
  })
  return { variant: isStolen ? 'stolen_session' : 'new_device', orders }
}

/** An order from elsewhere this long after the last one could be traveled. */
const QUIET_MS = 14 * HOUR_MS

/**
 * 1 to 4 orders over 1 to 48 hours: a new device, another city or country at a speed that could be
 * traveled, two to five times the usual amount, mostly another way to pay. A third shows no position.
 */
function takeOver({ random, goods, at, victim, episode, strength }: Attack): Drafts {
  const { earlier_orders, hours, factor, hidden_share, switched_share } = strength.takeover
  const isQuiet = ({ orders }: Victim) => (orders.at(-1)?.at ?? 0) < at - QUIET_MS
  const { customer } = victim(earlier_orders, isQuiet)
  const city = random.pick(ALL_CITIES.filter(({ name }) => name !== customer.city.name))
  const isHidden = random.chance(hidden_share)
  const isSwitched = random.chance(switched_share)
  const payment = random.pick<Payment>(['card', 'mobile', 'crypto', 'other'])
  const length = random.between(...hours) * HOUR_MS
  const orders = times(random.integer(...strength.takeover.orders), (index) => {
    const goal = customer.basket_cents * random.lognormal(0.3) * random.between(...factor)
    const place = placeIn(city, isHidden ? undefined : near(random, city, 5))
    return {
      at: at + Math.floor(index === 0 ? 0 : random.between(0, length)),
      ...goods(random, goal),
      ...(isHidden && random.chance(0.5) ? { zone: city.zone } : place),
      customer: customer.id,
      payment: isSwitched ? payment : customer.pays_online,
      device: `takeover-${episode}`,
      address: `takeover-line-${episode}`,
    } as const
  })
  return { variant: isHidden ? 'no_position' : 'elsewhere', orders }
}

/**
 * 8 to 25 new profiles on 1 to 3 devices and 1 to 4 addresses within 1 to 5 days, for welcome vouchers
 * and purchase on account: one or two orders each, small to medium, mostly from one place.
 */
function farmDevices({ random, goods, episode, at, strength }: Attack): Drafts {
  const { profiles, days, ...shared } = strength.farm
  const city = random.pick(ALL_CITIES)
  const home = near(random, city, 5)
  const devices = random.integer(...shared.devices)
  const addresses = random.integer(...shared.addresses)
  const length = Math.floor(random.between(...days) * DAY_MS)
  const isLocated = random.chance(0.5)
  const orders = times(random.integer(...profiles), (index) => {
    const profile = {
      customer: newCustomer(FARM_NUMBER, episode, index),
      device: `farm-${episode}-${random.integer(1, devices)}`,
      address: `farm-line-${episode}-${random.integer(1, addresses)}`,
    }
    const joined = at + random.integer(0, length)
    return times(random.integer(1, 2), (number) => ({
      at: joined + Math.floor(number * random.between(0.2, 20) * HOUR_MS),
      ...goods(random, 3_500 * random.lognormal(0.6)),
      ...placeIn(city, isLocated ? near(random, home, 1) : undefined),
      ...profile,
      payment: random.pick<Payment>(['card', 'other', 'mobile']),
    }))
  })
  return { variant: `${devices}_devices`, orders: orders.flat() }
}

/**
 * 20 to 80 amounts of 0.50 to 5.00 in one to six hours: as guests, as one new profile after the other,
 * or half as many in 15 to 40 minutes at the till of a store.
 */
function testCards(attack: Attack): Drafts {
  const { random, episode, at } = attack
  const variant = random.pick(attack.strength.card_tests)
  const city = random.pick(ALL_CITIES)
  const count = random.integer(20, 80)
  const length = Math.floor(random.between(1, 6) * HOUR_MS)
  const devices = random.integer(1, 3)
  const addresses = random.integer(1, 5)
  if (variant === 'till') return { variant, orders: testCardsAtTill(attack, Math.ceil(count / 2)) }
  const orders = times(count, (index) => ({
    at: at + random.integer(0, length),
    ...tinyAmount(random),
    ...(random.chance(0.7) ? placeIn(city) : { zone: city.zone }),
    customer: variant === 'guests' ? undefined : newCustomer(TESTING_NUMBER, episode, index),
    device: `testing-${episode}-${random.integer(1, devices)}`,
    address: `testing-line-${episode}-${random.integer(1, addresses)}`,
  }))
  return { variant, orders }
}

/** Someone at the counter with a pile of cards and a cashier who looks away, while the store is open. */
function testCardsAtTill({ random, at, stores }: Attack, count: number): Draft[] {
  const store = random.pick(stores)
  const edge_device = random.pick(store.tills)
  const begin = timeAt(store.city.zone, startOfDay(at), random.between(10, 19))
  const length = random.integer(15 * MINUTE_MS, 40 * MINUTE_MS)
  return times(count, () => ({
    at: begin + random.integer(0, length),
    ...tinyAmount(random),
    ...placeIn(store.city, store.position),
    channel: 'in_store' as const,
    sold: { store, edge_device },
  }))
}

const tinyAmount = (random: Random) => ({
  amount_cents: random.integer(50, 500),
  item_count: 1,
  items: [],
  payment: 'card' as const,
})
