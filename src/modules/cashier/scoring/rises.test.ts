import { beforeAll, describe, expect, it } from 'vitest'
import { createTown } from '../../../../test/support/town.ts'

const NOW = Date.UTC(2026, 2, 2)
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const CASHIERS = ['ann', 'bob', 'carl', 'dora']
const SALES = 50

type Flagged = { cashier: string; day: number; finding: string | null }

/** @param voidsOf voids of a cashier among the 50 sales of a day */
function play(days: number, voidsOf: (cashier: string, day: number) => number) {
  const town = createTown(false)
  const flagged: Flagged[] = []
  for (let day = 0; day < days; day += 1) {
    for (const [index, cashier] of CASHIERS.entries()) {
      const voids = voidsOf(cashier, day)
      for (let sale = 0; sale < SALES; sale += 1) {
        const at = NOW + day * DAY + sale * 9 * MINUTE + index * MINUTE
        town.sale(cashier, { at, till: cashier })
        // Honest cashiers do not void on the same days.
        if ((sale + index * 7) % SALES >= voids) continue
        const { fraud, measurements } = town.act(cashier, 'void', {
          at: at + MINUTE,
          till: cashier,
        })
        const { finding } = measurements.excessive_voids
        if (fraud.flags.includes('excessive_voids')) flagged.push({ cashier, day, finding })
      }
    }
  }
  return { flagged, state: town.cashier('dora') }
}

describe('a lasting rise', () => {
  const RISE = 28
  let played: ReturnType<typeof play>
  beforeAll(() => {
    played = play(64, (cashier, day) => (cashier === 'dora' && day >= RISE ? 2 : 1))
  })

  it('to double the earlier rate is found within a month, and only for that cashier', () => {
    const [first] = played.flagged
    expect(first).toMatchObject({ cashier: 'dora', finding: 'void_rise' })
    expect(first?.day).toBeGreaterThan(RISE)
    expect(first?.day).toBeLessThan(RISE + 30)
    expect(new Set(played.flagged.map(({ cashier }) => cashier))).toEqual(new Set(['dora']))
  })

  it('is flagged again only when it has grown or two weeks later', () => {
    expect(played.flagged.length).toBeGreaterThan(0)
    expect(played.flagged.length).toBeLessThan(5)
  })

  it('is stored in a few numbers', () => {
    const { rises } = played.state ?? {}
    expect(rises?.sold).toBe(64 * SALES)
    expect(JSON.stringify(rises).length).toBeLessThan(300)
    expect(rises?.kinds.void?.score).toBeLessThanOrEqual(25)
  })
})

it('a rise that all peers have, such as in a sale, is no finding', () => {
  expect(play(50, (_cashier, day) => (day >= 28 ? 2 : 1)).flagged).toEqual([])
})

it('a rate that has always been double is no rise', () => {
  const { flagged } = play(50, (cashier) => (cashier === 'dora' ? 2 : 1))
  expect(flagged.filter(({ finding }) => finding === 'void_rise')).toEqual([])
})
