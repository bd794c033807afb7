import { describe, expect, it } from 'vitest'
import { createTown, type Town } from '../../../../test/support/town.ts'
import { createRandom, type Random } from '../../../platform/random.ts'

const NOW = Date.UTC(2026, 2, 2)
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type Rates = { void: number; no_sale: number; refund: number }
const HONEST: Rates = { void: 0.015, no_sale: 0.02, refund: 0.01 }

/** Plays one shift of 120 sales. @returns the flags that were raised */
function work(
  { town, random }: { town: Town; random: Random },
  cashier: string,
  begin: number,
  rates: Rates,
): string[] {
  const flags: string[] = []
  const till = cashier.startsWith('desk') ? 'desk' : `till of ${cashier}`
  const act = (type: 'void' | 'no_sale' | 'refund', at: number) =>
    flags.push(...town.act(cashier, type, { at, till, amount_cents: 1234 }).fraud.flags)
  town.act(cashier, 'shift_start', { at: begin, till })
  for (let index = 0; index < 120; index += 1) {
    const at = begin + index * 4 * MINUTE
    town.sale(cashier, { at, till })
    if (random.chance(rates.void)) act('void', at + 10 * MINUTE)
    if (random.chance(rates.no_sale)) act('no_sale', at + 2 * MINUTE)
    if (random.chance(rates.refund)) act('refund', at + 3 * MINUTE)
  }
  town.act(cashier, 'shift_end', { at: begin + 10 * HOUR, till })
  return flags
}

function month(seed: number, days: number, ratesOf: (cashier: string, day: number) => Rates) {
  const random = createRandom(seed, 'peers')
  const town = createTown(false)
  const flagsOf = new Map<string, string[]>()
  const cashiers = ['ann', 'bob', 'carl', 'dora', 'emil', 'fay', 'gus', 'thief']
  for (let day = 0; day < days; day += 1) {
    for (const cashier of cashiers) {
      const flags = work({ town, random }, cashier, NOW + day * DAY, ratesOf(cashier, day))
      flagsOf.set(cashier, [...(flagsOf.get(cashier) ?? []), ...flags])
    }
  }
  return flagsOf
}

describe('among eight cashiers', () => {
  it.each([
    [1, 'void', 'excessive_voids'],
    [2, 'no_sale', 'drawer_anomaly'],
    [3, 'refund', 'excessive_refunds'],
  ] as const)(
    '(seed %d) only the cashier whose rate of %s rises fourfold is found',
    (seed, kind, flag) => {
      const flags = month(seed, 28, (cashier, day) =>
        cashier === 'thief' && day >= 14 ? { ...HONEST, [kind]: 4 * HONEST[kind] } : HONEST,
      )
      expect(flags.get('thief')).toContain(flag)
      flags.delete('thief')
      expect([...flags.values()].flat()).toEqual([])
    },
  )

  it('no one is flagged when all of them void equally often', () => {
    const flags = month(4, 21, () => ({ ...HONEST, void: 0.06 }))
    expect([...flags.values()].flat()).toEqual([])
  })
})

it('a service desk is not flagged for its refunds when another cashier works there, too', () => {
  const random = createRandom(5, 'desk')
  const town = createTown(false)
  const flags: string[] = []
  for (let day = 0; day < 20; day += 1) {
    for (const till of ['ann', 'bob', 'carl']) {
      work({ town, random }, till, NOW + day * DAY, HONEST)
    }
    const desk = day % 2 === 0 ? 'desk dora' : 'desk emil'
    flags.push(...work({ town, random }, desk, NOW + day * DAY, { ...HONEST, refund: 0.4 }))
  }
  expect(flags).toEqual([])
})

it('a thief with the refunds of a service desk does not turn the till into one', () => {
  const random = createRandom(6, 'not a desk')
  const town = createTown(false)
  const flags: string[] = []
  for (let day = 0; day < 10; day += 1) {
    for (const till of ['ann', 'bob', 'carl']) work({ town, random }, till, NOW + day * DAY, HONEST)
    flags.push(...work({ town, random }, 'thief', NOW + day * DAY, { ...HONEST, refund: 0.4 }))
  }
  expect(new Set(flags)).toEqual(new Set(['excessive_refunds']))
})

it('a cashier without sales is compared by shares of the actions', () => {
  const town = createTown(false)
  const flags: string[] = []
  for (let day = 0; day < 10; day += 1) {
    for (const cashier of ['ann', 'bob', 'carl', 'dora']) {
      for (const [index, type] of (
        ['void', 'refund', 'no_sale', 'price_override'] as const
      ).entries()) {
        const at = NOW + day * DAY + index * HOUR
        flags.push(...town.act(cashier, type, { at }).fraud.flags)
      }
    }
  }
  expect(flags).toEqual([])
  const flagged = Array.from({ length: 60 }, (_, index) =>
    town.act('eve', 'void', { at: NOW + 5 * DAY + index * HOUR }),
  )
  expect(flagged.at(-1)?.fraud.flags).toEqual(['excessive_voids'])
})
