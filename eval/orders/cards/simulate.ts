/** Simulates card transactions: customers who pay at the terminals around them. */
import { createRandom, type Random } from '../../../src/platform/random.ts'
import { addFrauds } from './frauds.ts'
import { type CardWorld, type CardWorldSize, DAY_S, emptyWorld, trimWorld } from './world.ts'

/** Maximum distance from a customer to a terminal. */
const RADIUS = 5

export function simulateCards(seed: number, size: CardWorldSize): CardWorld {
  const random = createRandom(seed, 'cards')
  const customers = makeCustomers(random.fork('customers'), size)
  const world = emptyWorld(Math.ceil(size.customers * size.days * 2.2) + 1_000)
  const spending = random.fork('spending')
  for (let day = 0; day < size.days; day += 1) addDay(world, spending, customers, day)
  const trimmed = trimWorld(world)
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
