/** Attacks from another place: an account used where its owner cannot be, and an account taken over. */

import { ownSession } from './attacks-own.ts'
import { basketOf } from './baskets.ts'
import { localHour } from './calendar.ts'
import type { Attack, AttackOrders, Victim } from './episodes.ts'
import { HOUR_MS, orderFacts, type ShopOrder } from './order.ts'
import type { Payment } from './people.ts'
import { type City, distanceKm, FAR_CITIES, HOME_CITIES, near } from './places.ts'

/**
 * 1 to 3 orders at least 1,500 km away, 20 minutes to 3 hours after an order of the owner whose place is
 * known. A third through a stolen session, which looks like the owner's device.
 */
export function travelImpossibly({ random, victim, episode }: Attack): AttackOrders {
  const { customer, last } = located(victim)
  const here = { latitude: last.facts.latitude ?? 0, longitude: last.facts.longitude ?? 0 }
  const city = random.pick(FAR_CITIES.filter((each) => distanceKm(here, each) > 1_500))
  const isStolen = random.chance(0.33)
  let ordered_at_ms = last.facts.ordered_at_ms
  const orders = Array.from({ length: random.integer(1, 3) }, (_, index) => {
    ordered_at_ms += Math.floor(
      random.between(index === 0 ? 0.33 : 0.05, index === 0 ? 3 : 0.5) * HOUR_MS,
    )
    const session = ownSession(random, customer, ordered_at_ms)
    const goal = customer.basket_cents * random.lognormal(customer.spread) * random.between(1, 2)
    return {
      facts: orderFacts({
        ...basketOf(random, goal),
        ...near(random, city, 5),
        profile_id: customer.profile_id,
        country: city.country,
        payment_method: customer.pays_online,
        fingerprint_hash: isStolen ? session.fingerprint_hash : `far-${episode}`,
        ip_hash: `far-line-${episode}`,
        ordered_at_ms,
        local_hour: localHour(ordered_at_ms, city.utc_offset),
      }),
    }
  })
  return { variant: isStolen ? 'stolen_session' : 'new_device', orders }
}

/** A victim whose last order before the attack tells where it was made. */
function located(victim: Attack['victim']): Victim & { last: ShopOrder } {
  for (;;) {
    const found = victim(3)
    const last = found.orders.findLast(({ facts }) => facts.latitude !== undefined)
    if (last && last === found.orders.at(-1)) return { ...found, last }
  }
}

/**
 * 1 to 4 orders over 1 to 48 hours: a new device, another city or country at a speed that could be
 * travelled, two to five times the usual amount, mostly another way to pay. A third gives no position.
 */
export function takeOver({ random, at_ms, victim, episode }: Attack): AttackOrders {
  const { customer, orders: earlier } = victim(3)
  const city: City = random.pick(
    [...HOME_CITIES, ...FAR_CITIES].filter(({ name }) => name !== customer.city.name),
  )
  const last_ms = earlier.at(-1)?.facts.ordered_at_ms ?? at_ms
  const start_ms = Math.max(at_ms, last_ms + 14 * HOUR_MS)
  const isHidden = random.chance(0.33)
  const isSwitched = random.chance(0.6)
  const payment = random.pick<Payment>(['card', 'mobile', 'crypto', 'other'])
  const hours = random.between(1, 48)
  const orders = Array.from({ length: random.integer(1, 4) }, (_, index) => {
    const after = index === 0 ? 0 : random.between(0, hours)
    const ordered_at_ms = start_ms + Math.floor(after * HOUR_MS)
    const goal = customer.basket_cents * random.lognormal(0.3) * random.between(2, 5)
    return {
      facts: orderFacts({
        ...basketOf(random, goal),
        ...(isHidden ? {} : near(random, city, 5)),
        profile_id: customer.profile_id,
        country: isHidden && random.chance(0.5) ? undefined : city.country,
        payment_method: isSwitched ? payment : customer.pays_online,
        fingerprint_hash: `takeover-${episode}`,
        ip_hash: `takeover-line-${episode}`,
        ordered_at_ms,
        local_hour: localHour(ordered_at_ms, city.utc_offset),
      }),
    }
  })
  return { variant: isHidden ? 'no_position' : 'elsewhere', orders }
}
