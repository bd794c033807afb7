/** Attacks that need no account of anybody: many new profiles on few devices, many tiny payments. */
import { basketOf } from './baskets.ts'
import { localHour } from './calendar.ts'
import type { Attack, AttackOrders } from './episodes.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS, orderFacts, uuidOf } from './order.ts'
import { FAR_CITIES, HOME_CITIES, near } from './places.ts'

/**
 * 8 to 25 new profiles on 1 to 3 devices and 1 to 4 addresses within 1 to 5 days, for welcome vouchers and
 * purchase on account: one or two orders each, small to medium, mostly from one place.
 */
export function farmDevices({ random, episode, at_ms }: Attack): AttackOrders {
  const city = random.pick([...HOME_CITIES, ...FAR_CITIES])
  const home = near(random, city, 5)
  const devices = random.integer(1, 3)
  const addresses = random.integer(1, 4)
  const length_ms = random.between(1, 5) * DAY_MS
  const isLocated = random.chance(0.5)
  const profiles = Array.from({ length: random.integer(8, 25) }, (_, index) => ({
    profile_id: uuidOf(2, episode * 100 + index),
    fingerprint_hash: `farm-${episode}-${random.integer(1, devices)}`,
    ip_hash: `farm-line-${episode}-${random.integer(1, addresses)}`,
    created_ms: at_ms + random.integer(0, Math.floor(length_ms)),
  }))
  const orders = profiles.flatMap(({ created_ms, ...who }) =>
    Array.from({ length: random.integer(1, 2) }, (_, index) => {
      const ordered_at_ms = created_ms + Math.floor(index * random.between(0.2, 20) * HOUR_MS)
      return {
        facts: orderFacts({
          ...basketOf(random, 3_500 * random.lognormal(0.6)),
          ...(isLocated ? near(random, home, 1) : {}),
          ...who,
          country: city.country,
          payment_method: random.pick(['card', 'other', 'mobile'] as const),
          ordered_at_ms,
          local_hour: localHour(ordered_at_ms, city.utc_offset),
        }),
      }
    }),
  )
  return { variant: `${devices}_devices`, orders }
}

/**
 * 20 to 80 amounts of 0.50 to 5.00 in one to six hours: as guests, as one new profile after the other, or
 * in 15 to 40 minutes at the till of a store.
 */
export function testCards(attack: Attack): AttackOrders {
  const { random, episode, at_ms } = attack
  const variant = random.pick(['guests', 'new_profiles', 'till'] as const)
  const city = random.pick([...HOME_CITIES, ...FAR_CITIES])
  const count = random.integer(20, 80)
  const length_ms = random.between(1, 6) * HOUR_MS
  const devices = random.integer(1, 3)
  const addresses = random.integer(1, 5)
  if (variant === 'till') return testCardsAtTill(attack, count)
  const orders = Array.from({ length: count }, (_, index) => {
    const ordered_at_ms = at_ms + random.integer(0, Math.floor(length_ms))
    return {
      facts: orderFacts({
        amount_cents: random.integer(50, 500),
        item_count: 1,
        profile_id: variant === 'guests' ? undefined : uuidOf(3, episode * 100 + index),
        country: random.chance(0.7) ? city.country : undefined,
        payment_method: 'card',
        fingerprint_hash: `testing-${episode}-${random.integer(1, devices)}`,
        ip_hash: `testing-line-${episode}-${random.integer(1, addresses)}`,
        ordered_at_ms,
        local_hour: localHour(ordered_at_ms, city.utc_offset),
      }),
    }
  })
  return { variant, orders }
}

/** Somebody at the counter, with a pile of cards and somebody who looks away; the shop is open. */
function testCardsAtTill({ random, at_ms, stores }: Attack, count: number): AttackOrders {
  const store = random.pick(stores)
  const till = random.pick(store.tills)
  const midnight_ms = at_ms - (at_ms % DAY_MS) - store.city.utc_offset * HOUR_MS
  const start_ms = midnight_ms + Math.floor(random.between(10, 19) * HOUR_MS)
  const length_ms = random.integer(15 * MINUTE_MS, 40 * MINUTE_MS)
  const orders = Array.from({ length: Math.ceil(count / 2) }, () => {
    const ordered_at_ms = start_ms + random.integer(0, length_ms)
    return {
      facts: orderFacts({
        ...store.position,
        amount_cents: random.integer(50, 500),
        item_count: 1,
        country: store.city.country,
        order_type: 'in_store',
        payment_method: 'card',
        location_name: store.name,
        edge_device_id: till,
        ordered_at_ms,
        local_hour: localHour(ordered_at_ms, store.city.utc_offset),
      }),
    }
  })
  return { variant: 'till', orders }
}
