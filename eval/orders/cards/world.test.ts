import { describe, expect, it } from 'vitest'
import { dayOf } from './frauds.ts'
import { testRows } from './protocol.ts'
import { simulateCards } from './simulate.ts'
import { type CardWorld, DAY_S, QUICK_SIZE } from './world.ts'

const world = simulateCards(1, QUICK_SIZE)
const rows = Array.from({ length: world.count }, (_, row) => row)
const at = (column: ArrayLike<number>, row: number): number => column[row] ?? 0

describe('the card world', () => {
  it('is the same for the same seed', () => {
    const again = simulateCards(1, { ...QUICK_SIZE, days: 20 })
    expect(simulateCards(1, { ...QUICK_SIZE, days: 20 })).toEqual(again)
  })

  it('has the published totals for its size', () => {
    const count = (wanted: number) =>
      rows.filter((row) => at(world.scenario, row) === wanted).length
    // A fifth of 1,754,155 with 973, 9,077 and 4,631 frauds.
    expect(world.count / 350_831).toBeGreaterThan(0.93)
    expect(world.count / 350_831).toBeLessThan(1.07)
    expect(count(1)).toBeGreaterThan(100)
    expect(count(1)).toBeLessThan(300)
    expect(count(2) / 1_815).toBeGreaterThan(0.8)
    expect(count(2) / 1_815).toBeLessThan(1.2)
    expect(count(3) / 926).toBeGreaterThan(0.7)
    expect(count(3) / 926).toBeLessThan(1.3)
  })

  it('is ordered by time and stays within its days', () => {
    expect(
      rows.every((row) => row === 0 || at(world.second, row) >= at(world.second, row - 1)),
    ).toBe(true)
    expect(at(world.second, world.count - 1)).toBeLessThan(QUICK_SIZE.days * DAY_S)
  })

  it('labels every amount above 220 as a fraud', () => {
    const large = rows.filter((row) => at(world.amount_cents, row) > 22_000)
    expect(large.length).toBeGreaterThan(0)
    expect(large.every((row) => at(world.scenario, row) > 0)).toBe(true)
  })
})

describe('the rows of a test week', () => {
  /** One customer per letter, one row per day; `2018-04-15` is day 14. */
  const tiny = (frauds: [day: number, customer: number][]): CardWorld => {
    const days = Array.from({ length: 30 }, (_, day) =>
      [0, 1].map((customer) => ({ day, customer })),
    ).flat()
    return {
      count: days.length,
      second: Uint32Array.from(days, ({ day }) => day * DAY_S + 60),
      customer: Uint16Array.from(days, ({ customer }) => customer),
      terminal: new Uint16Array(days.length),
      amount_cents: new Uint32Array(days.length),
      scenario: Uint8Array.from(days, ({ day, customer }) =>
        frauds.some(([d, c]) => d === day && c === customer) ? 3 : 0,
      ),
    }
  }
  const daysOf = (some: CardWorld, customer: number) =>
    testRows(some, '2018-04-15')
      .filter((row) => some.customer[row] === customer)
      .map((row) => dayOf(some, row))

  it('cover seven days', () => {
    expect(daysOf(tiny([]), 0)).toEqual([14, 15, 16, 17, 18, 19, 20])
  })

  it('leave out a customer with a fraud in the week of training', () => {
    expect(daysOf(tiny([[0, 0]]), 0)).toEqual([])
    expect(daysOf(tiny([[6, 0]]), 0)).toEqual([])
    expect(daysOf(tiny([[0, 0]]), 1)).toHaveLength(7)
  })

  it('leave a customer out from the day on which a fraud of the delay is known', () => {
    // A fraud of day 8 is fully known on day 16.
    expect(daysOf(tiny([[8, 0]]), 0)).toEqual([14, 15])
  })

  it('keep a customer whose fraud is not known yet', () => {
    expect(daysOf(tiny([[13, 0]]), 0)).toHaveLength(7)
    expect(daysOf(tiny([[15, 0]]), 0)).toHaveLength(7)
  })
})
