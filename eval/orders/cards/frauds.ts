/**
 * The three published scenarios of fraud. 1: every amount above 220. 2: two terminals a day are
 * compromised for 28 days, and every payment there is fraud. 3: three customers a day lose their card
 * data, and a third of their transactions in the next 14 days is multiplied by five. A transaction that
 * fits several scenarios has the highest one.
 */
import type { Random } from '../../../src/platform/random.ts'
import { type CardWorld, type CardWorldSize, DAY_S } from './world.ts'

const LARGE_AMOUNT_CENTS = 22_000
const TERMINAL_DAYS = 28
const CUSTOMER_DAYS = 14

export function addFrauds(world: CardWorld, random: Random, size: CardWorldSize): void {
  addLargeAmounts(world)
  addCompromisedTerminals(world, random.fork('terminals'), size)
  addCompromisedCustomers(world, random.fork('customers'), size)
}

function addLargeAmounts(world: CardWorld): void {
  for (let row = 0; row < world.count; row += 1) {
    if ((world.amount_cents[row] ?? 0) > LARGE_AMOUNT_CENTS) world.scenario[row] = 1
  }
}

function addCompromisedTerminals(world: CardWorld, random: Random, size: CardWorldSize): void {
  const { terminals, days, compromised_terminals_per_day } = size
  const starts = new Map<number, number[]>()
  for (let day = 0; day < days; day += 1) {
    for (const terminal of random.sample(terminals, dueOn(day, compromised_terminals_per_day))) {
      starts.set(terminal, [...(starts.get(terminal) ?? []), day])
    }
  }
  for (let row = 0; row < world.count; row += 1) {
    const since = starts.get(world.terminal[row] ?? 0)
    if (since === undefined) continue
    const day = dayOf(world, row)
    if (since.some((start) => day >= start && day < start + TERMINAL_DAYS)) world.scenario[row] = 2
  }
}

function addCompromisedCustomers(world: CardWorld, random: Random, size: CardWorldSize): void {
  const { customers, days, compromised_customers_per_day } = size
  const rows = rowsByCustomer(world, customers)
  for (let day = 0; day < days; day += 1) {
    for (const customer of random.sample(customers, dueOn(day, compromised_customers_per_day))) {
      const reached = (rows[customer] ?? []).filter(
        (row) => dayOf(world, row) >= day && dayOf(world, row) < day + CUSTOMER_DAYS,
      )
      for (const index of random.sample(reached.length, Math.trunc(reached.length / 3))) {
        const row = reached[index] ?? 0
        world.amount_cents[row] = (world.amount_cents[row] ?? 0) * 5
        world.scenario[row] = 3
      }
    }
  }
}

/** Number that is due on a day at a rate that need not be an integer. */
const dueOn = (day: number, rate: number): number =>
  Math.floor((day + 1) * rate + 1e-9) - Math.floor(day * rate + 1e-9)

export const dayOf = (world: CardWorld, row: number): number =>
  Math.floor((world.second[row] ?? 0) / DAY_S)

function rowsByCustomer(world: CardWorld, customers: number): number[][] {
  const rows: number[][] = Array.from({ length: customers }, () => [])
  for (let row = 0; row < world.count; row += 1) rows[world.customer[row] ?? 0]?.push(row)
  return rows
}
