/**
 * Fraud that is put in between: six scenarios, each with variants, aimed at customers who have ordered
 * before. Attackers know some of what a customer does and get some of it wrong, differently each time.
 */
import type { Random } from '../../../src/platform/random.ts'
import { takeOver, travelImpossibly } from './attacks-elsewhere.ts'
import { farmDevices, testCards } from './attacks-many.ts'
import { burst, orderAtOddHours } from './attacks-own.ts'
import { DAY_MS, FIRST_DAY_MS, SCENARIOS, type Scenario, type ShopOrder } from './order.ts'
import type { Customer } from './people.ts'
import type { Store } from './stores.ts'
import type { ShopSize } from './world.ts'

/** Somebody who has ordered, and what is known of it. */
export type Victim = { customer: Customer; orders: ShopOrder[] }

export type Attack = {
  random: Random
  episode: number
  /** Random instant of the judged days. */
  at_ms: number
  /** A customer with at least so many orders before the attack. */
  victim: (least: number) => Victim
  stores: readonly Store[]
}

export type AttackOrders = { variant: string; orders: Pick<ShopOrder, 'facts'>[] }

const ATTACKS: Readonly<Record<Scenario, (attack: Attack) => AttackOrders>> = {
  velocity_burst: burst,
  impossible_travel: travelImpossibly,
  device_farm: farmDevices,
  account_takeover: takeOver,
  odd_hours: orderAtOddHours,
  card_testing: testCards,
}

export type Scene = {
  clean: readonly ShopOrder[]
  customers: readonly Customer[]
  stores: readonly Store[]
  size: ShopSize
}

export function makeEpisodes(random: Random, scene: Scene): ShopOrder[] {
  const history = historyOf(scene)
  return SCENARIOS.flatMap((scenario) =>
    Array.from({ length: scene.size.episodes_per_scenario }, (_, episode) =>
      makeEpisode(random.fork(`${scenario} ${episode}`), { scenario, episode, scene, history }),
    ).flat(),
  )
}

function makeEpisode(
  random: Random,
  context: { scenario: Scenario; episode: number; scene: Scene; history: Victim[] },
): ShopOrder[] {
  const { scenario, episode, scene, history } = context
  const { days, warm_up_days } = scene.size
  const at_ms = FIRST_DAY_MS + Math.floor(random.between(warm_up_days, days - 6) * DAY_MS)
  const victim = (least: number) => chooseVictim(random, { history, least, before_ms: at_ms })
  const { variant, orders } = ATTACKS[scenario]({
    random,
    episode,
    at_ms,
    victim,
    stores: scene.stores,
  })
  return orders.map(({ facts }) => ({
    facts,
    arrives_ms: facts.ordered_at_ms,
    truth: { is_fraud: true, scenario, variant, episode },
  }))
}

function chooseVictim(
  random: Random,
  { history, least, before_ms }: { history: Victim[]; least: number; before_ms: number },
): Victim {
  for (;;) {
    const { customer, orders } = random.pick(history)
    const earlier = orders.filter(({ facts }) => facts.ordered_at_ms < before_ms)
    if (earlier.length >= least) return { customer, orders: earlier }
  }
}

function historyOf({ clean, customers }: Scene): Victim[] {
  const byProfile = new Map<string, ShopOrder[]>()
  for (const order of clean) {
    const id = order.facts.profile_id
    if (id === undefined) continue
    const list = byProfile.get(id)
    if (list) list.push(order)
    else byProfile.set(id, [order])
  }
  return customers
    .filter(({ is_business }) => !is_business)
    .map((customer) => ({ customer, orders: byProfile.get(customer.profile_id) ?? [] }))
}
