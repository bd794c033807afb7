/** Attacks that look like the customer: the own device or a good copy, only too often or at night. */
import type { Random } from '../../../src/platform/random.ts'
import { basketOf, fillBasket } from './baskets.ts'
import { deadHours, localHour } from './calendar.ts'
import type { Attack, AttackOrders, Victim } from './episodes.ts'
import { DAY_MS, FIRST_DAY_MS, HOUR_MS, MINUTE_MS, orderFacts } from './order.ts'
import type { Customer } from './people.ts'
import { near } from './places.ts'
import { devicesOn } from './sessions.ts'

/**
 * 6 to 15 orders within 10 to 60 minutes through a known account: by a program on the customer's device,
 * or from a device of the attacker's own. Amounts as usual, or up to three times as much.
 */
export function burst({ random, at_ms, victim, episode }: Attack): AttackOrders {
  const { customer } = victim(2)
  const isOwn = random.chance(0.5)
  const length_ms = random.between(10, 60) * MINUTE_MS
  const greed = random.pick([1, 1, 1.5, 3])
  const session = ownSession(random, customer, at_ms)
  const fingerprint_hash = isOwn ? session.fingerprint_hash : `burst-${episode}`
  const orders = Array.from({ length: random.integer(6, 15) }, () => {
    const ordered_at_ms = at_ms + Math.floor(random.between(0, length_ms))
    const known = { ...session, fingerprint_hash, ordered_at_ms }
    return {
      facts: orderFacts({
        ...basketOf(random, customer.basket_cents * random.lognormal(customer.spread) * greed),
        ...known,
        local_hour: localHour(ordered_at_ms, customer.city.utc_offset),
      }),
    }
  })
  return { variant: isOwn ? 'own_device' : 'new_device', orders }
}

/**
 * 2 to 5 orders over one to three nights at hours when people of that rhythm sleep: somebody in the house,
 * or a stolen telephone. A little more than usual; a third from a device not seen before.
 */
export function orderAtOddHours({ random, at_ms, victim, episode }: Attack): AttackOrders {
  const { customer } = sleeper(victim)
  const isOwn = random.chance(0.67)
  const hours = deadHours(customer.rhythm)
  const first_day = Math.floor((at_ms - FIRST_DAY_MS) / DAY_MS)
  const session = ownSession(random, customer, at_ms)
  const nights = random.integer(1, 3)
  const orders = Array.from({ length: random.integer(2, 5) }, () => {
    const day = first_day + random.integer(0, nights - 1)
    const hour = random.pick(hours) + random.uniform() - customer.city.utc_offset
    const ordered_at_ms = FIRST_DAY_MS + day * DAY_MS + Math.floor(hour * HOUR_MS)
    return {
      facts: orderFacts({
        ...fillBasket(random, customer, random.between(1, 2)),
        ...session,
        fingerprint_hash: isOwn ? session.fingerprint_hash : `night-${episode}`,
        ordered_at_ms,
        local_hour: localHour(ordered_at_ms, customer.city.utc_offset),
      }),
    }
  })
  return { variant: isOwn ? 'own_device' : 'new_device', orders }
}

/** Somebody with regular hours and a history that shows them. */
function sleeper(victim: Attack['victim']): Victim {
  for (;;) {
    const found = victim(5)
    if (deadHours(found.customer.rhythm).length > 0) return found
  }
}

/** As the customer would be seen at home. */
export function ownSession(random: Random, customer: Customer, at_ms: number) {
  const [device] = devicesOn(customer, (at_ms - FIRST_DAY_MS) / DAY_MS)
  const day = Math.floor((at_ms - FIRST_DAY_MS) / DAY_MS / customer.address_days)
  const place = customer.shares_location ? near(random, customer.home, 1) : {}
  return {
    ...place,
    profile_id: customer.profile_id,
    country: customer.city.country,
    payment_method: customer.pays_online,
    fingerprint_hash: device?.fingerprint,
    ip_hash: `home-${customer.household}-${day}`,
  }
}
