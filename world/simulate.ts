/** The days of a chain, and the attacks on its web shop and its tills. */
import { type Attack, carryOut, type Strength, USUAL_STRENGTH, type Victim } from './attacks.ts'
import type { Chain } from './chain.ts'
import type { ChainEvent, Order, Scenario } from './events.ts'
import { onlineDay } from './online.ts'
import { storeDay } from './shifts.ts'
import { DAY_MS, type Span, startOfDay } from './time.ts'

/**
 * All calendar days that have a part in the span: the first hours in UTC may belong to the day before.
 */
export function daysIn({ start, end }: Span): number[] {
  const first = startOfDay(start) - DAY_MS
  const length = Math.ceil((end - first) / DAY_MS) + 1
  return Array.from({ length }, (_, day) => first + day * DAY_MS)
}

/** The events of customers and cashiers on a calendar day, including thefts, by time. */
export const simulateDay = (chain: Chain, day: number): ChainEvent[] =>
  [
    ...chain.stores.flatMap((store) => storeDay(chain, store, day)),
    ...onlineDay(chain, day),
  ].toSorted((a, b) => a.at - b.at)

/** Attacks number their orders from here, beyond those of the web shop on any day. */
const FIRST_NUMBER = 500
const BEST = 12

export type Campaign = { scenario: Scenario; episode: number; at: number }

/** @param clean the honest orders, by time, from which the attackers choose their victims */
export function attackChain(
  { random, customers, stores, goods }: Chain,
  clean: readonly Order[],
  { campaigns, strength = USUAL_STRENGTH }: { campaigns: readonly Campaign[]; strength?: Strength },
): Order[] {
  const history = historyOf(customers, clean)
  const attacks = campaigns.flatMap(({ scenario, episode, at }) => {
    const own = random.fork(`${scenario} ${episode}`)
    const victim: Attack['victim'] = (least, fits = () => true) => {
      const known = history.map(({ customer, orders }) => ({
        customer,
        orders: orders.filter((order) => order.at < at),
      }))
      const suitable = known.filter((each) => each.orders.length >= least && fits(each))
      if (suitable.length > 0) return own.pick(suitable)
      // In a small world no one may fit.
      const best = known.toSorted((a, b) => b.orders.length - a.orders.length)
      return own.pick(best.slice(0, BEST))
    }
    return carryOut(scenario, { random: own, goods, stores, episode, at, victim, strength })
  })
  return attacks.map((order, index) => ({ ...order, number: FIRST_NUMBER + index }))
}

function historyOf(customers: Chain['customers'], clean: readonly Order[]): Victim[] {
  const byCustomer = new Map<string, Order[]>()
  for (const order of clean) {
    if (order.customer === undefined) continue
    const orders = byCustomer.get(order.customer)
    if (orders) orders.push(order)
    else byCustomer.set(order.customer, [order])
  }
  return customers
    .filter(({ is_business }) => !is_business)
    .map((customer) => ({ customer, orders: byCustomer.get(customer.id) ?? [] }))
}
