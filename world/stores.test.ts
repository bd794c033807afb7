import { describe, expect, it } from 'vitest'
import { createRandom } from '../src/platform/random.ts'
import { HOME_CITIES } from './places.ts'
import { makeStore, shiftsOf } from './stores.ts'
import { DAY_MS, hourAt, weekdayOf } from './time.ts'

const [city] = HOME_CITIES
if (!city) throw new Error('no city')
const store = makeStore(createRandom(1), {
  id: 'a',
  name: 'A',
  city,
  opens: 7,
  closes: 22,
  closed_on: [0],
  tills: ['1', '2', '3'],
  has_fixed_tills: true,
  sales_per_day: 40,
  loyal_share: 0,
  cash_share: 0.3,
  basket_cents: 2_000,
  spread: 0.6,
  cashiers: ['a1', 'a2', 'a3', 'a4', 'a5', 'a6'],
})
const week = Array.from({ length: 7 }, (_, day) => Date.UTC(2026, 8, 6) + day * DAY_MS)

describe('the shifts of a store', () => {
  it('cover the opening hours and nothing else', () => {
    for (const day of week.filter((each) => weekdayOf(each) !== 0)) {
      const shifts = shiftsOf(store, day)
      const early = shifts.filter(({ cashier }) => !cashier.is_late)
      const late = shifts.filter(({ cashier }) => cashier.is_late)
      for (const { begin } of early) expect(hourAt(city.zone, begin)).toBe(7)
      for (const { end } of late) expect(hourAt(city.zone, end)).toBe(22)
      for (const { end } of early) expect(late.every(({ begin }) => begin < end)).toBe(true)
    }
  })

  it('leave closed days and each cashier two days a week out', () => {
    expect(shiftsOf(store, week[0] ?? 0)).toEqual([])
    const all = week.flatMap((day) => shiftsOf({ ...store, closed_on: [] }, day))
    for (const { id } of store.cashiers) {
      expect(all.filter(({ cashier }) => cashier.id === id)).toHaveLength(5)
    }
  })

  it('have the same till for a cashier each day, which no one else of the shift uses', () => {
    for (const day of week) {
      const early = shiftsOf(store, day).filter(({ cashier }) => !cashier.is_late)
      expect(new Set(early.map(({ till }) => till)).size).toBe(early.length)
    }
    const tills = new Set(
      week.flatMap((day) =>
        shiftsOf(store, day).map(({ cashier, till }) => `${cashier.id} ${till}`),
      ),
    )
    expect(tills.size).toBe(store.cashiers.length)
  })
})
