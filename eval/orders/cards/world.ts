/**
 * Card transactions of a made-up city, written anew from the published rules of the simulator of the
 * Fraud Detection Handbook (Le Borgne et al., chapter 3): 5,000 customers, 10,000 terminals, 183 days from
 * 2018-04-01, about 1.75 million transactions. The random numbers are ours, so totals agree and rows do
 * not. Columns are typed arrays, sorted by time.
 */
import { createRandom, type Random } from '../../../src/platform/random.ts'
import { addFrauds } from './frauds.ts'

export type CardWorldSize = {
  customers: number
  terminals: number
  days: number
  /** Side of the square; the published density of terminals makes about 78 reachable. */
  side: number
  /** New ones each day; a fraction adds up over the days. */
  compromised_terminals_per_day: number
  compromised_customers_per_day: number
}

export type CardWorld = {
  count: number
  /** Seconds since the first midnight. */
  second: Uint32Array
  customer: Uint16Array
  terminal: Uint16Array
  amount_cents: Uint32Array
  /** 0 honest, else the scenario 1 to 3. */
  scenario: Uint8Array
}

export const PUBLISHED_SIZE: CardWorldSize = {
  customers: 5_000,
  terminals: 10_000,
  days: 183,
  side: 100,
  compromised_terminals_per_day: 2,
  compromised_customers_per_day: 3,
}

/** A fifth of the city with the same density and the same share of fraud. */
export const QUICK_SIZE: CardWorldSize = {
  ...PUBLISHED_SIZE,
  customers: 1_000,
  terminals: 2_000,
  side: 100 / Math.sqrt(5),
  compromised_terminals_per_day: 2 / 5,
  compromised_customers_per_day: 3 / 5,
}

export const FIRST_DAY_MS = Date.UTC(2018, 3, 1)
export const DAY_S = 86_400

/** How far a customer goes to a terminal. */
const RADIUS = 5

export function simulateCards(seed: number, size: CardWorldSize): CardWorld {
  const random = createRandom(seed, 'cards')
  const customers = makeCustomers(random.fork('customers'), size)
  const world = emptyWorld(Math.ceil(size.customers * size.days * 2.2) + 1_000)
  const spending = random.fork('spending')
  for (let day = 0; day < size.days; day += 1) addDay(world, spending, customers, day)
  const trimmed = trim(world)
  addFrauds(trimmed, random.fork('frauds'), size)
  return trimmed
}

type Customer = { mean_amount: number; mean_per_day: number; reachable: number[] }

function makeCustomers(random: Random, { customers, terminals, side }: CardWorldSize): Customer[] {
  const places = Array.from({ length: terminals }, () => [
    random.between(0, side),
    random.between(0, side),
  ])
  return Array.from({ length: customers }, () => {
    const [x, y] = [random.between(0, side), random.between(0, side)]
    const reachable: number[] = []
    places.forEach(([px = 0, py = 0], terminal) => {
      if ((px - x) ** 2 + (py - y) ** 2 < RADIUS ** 2) reachable.push(terminal)
    })
    return {
      mean_amount: random.between(5, 100),
      mean_per_day: random.between(0, 4),
      reachable,
    }
  })
}

type Row = { second: number; customer: number; terminal: number; amount_cents: number }

function addDay(world: CardWorld, random: Random, customers: Customer[], day: number): void {
  const rows: Row[] = []
  customers.forEach(({ mean_amount, mean_per_day, reachable }, customer) => {
    for (let left = random.poisson(mean_per_day); left > 0; left -= 1) {
      const second = Math.trunc(random.normal(DAY_S / 2, 20_000))
      if (second <= 0 || second >= DAY_S || reachable.length === 0) continue
      const drawn = random.normal(mean_amount, mean_amount / 2)
      const amount = drawn < 0 ? random.between(0, mean_amount * 2) : drawn
      const terminal = random.pick(reachable)
      const amount_cents = Math.round(amount * 100)
      rows.push({ second: day * DAY_S + second, customer, terminal, amount_cents })
    }
  })
  for (const row of rows.toSorted((a, b) => a.second - b.second)) {
    world.second[world.count] = row.second
    world.customer[world.count] = row.customer
    world.terminal[world.count] = row.terminal
    world.amount_cents[world.count] = row.amount_cents
    world.count += 1
  }
}

function emptyWorld(capacity: number): CardWorld {
  return {
    count: 0,
    second: new Uint32Array(capacity),
    customer: new Uint16Array(capacity),
    terminal: new Uint16Array(capacity),
    amount_cents: new Uint32Array(capacity),
    scenario: new Uint8Array(capacity),
  }
}

function trim({ count, second, customer, terminal, amount_cents, scenario }: CardWorld): CardWorld {
  return {
    count,
    second: second.slice(0, count),
    customer: customer.slice(0, count),
    terminal: terminal.slice(0, count),
    amount_cents: amount_cents.slice(0, count),
    scenario: scenario.slice(0, count),
  }
}
